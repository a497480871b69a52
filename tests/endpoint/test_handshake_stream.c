/* A handshake over a stream: connecting, whole messages and rubbish, the stream's end. */
#include "../support/fake_node.h"
#include "base/clock.h"
#include "core/handshake_ops.h"
#include "endpoint/connecting.h"
#include "endpoint/handshake.h"
#include "endpoint/record_in.h"

#include <sys/epoll.h>

/* A new endpoint of near, by a stream that is connecting. */
static tc_ep *calling(fake_node *node)
{
    tc_ep *ep = fake_node_ep(node);
    tci_link_close(ep->link, 0);
    ep->link = NULL;
    ep->stream = fake_stream_create();
    ep->state = TCI_EP_CONNECTING;
    return ep;
}

static void finish(fake_node *node)
{
    fake_node_destroy(node);
    assert_int_equal(fake_streams, 0);
    assert_int_equal(fake_links, 0);
}

TEST(the_hello_leaves_when_the_stream_is_connected)
{
    fake_node *node = fake_node_create();
    tc_ep *ep = calling(node);
    ep->stream->connected.status = TC_E_AGAIN;
    tci_handshake_stream(ep);
    assert_int_equal(ep->state, TCI_EP_CONNECTING);
    assert_int_equal(ep->stream->sent.count, 0);
    ep->stream->connected.status = TC_OK;
    tci_handshake_stream(ep);
    assert_int_equal(ep->state, TCI_EP_AWAITING_HELLO);
    assert_int_equal(ep->stream->sent.count, 1);
    finish(node);
}

/* The peer sends nothing before it has the HELLO, so no descriptor becomes readable. */
TEST(the_rest_of_a_hello_leaves_without_a_word_from_the_peer)
{
    fake_node *node = fake_node_create();
    tc_ep *ep = calling(node);
    tci_handshake_begin(ep, UINT64_MAX);
    tci_handshake_stream(ep);
    assert_int_equal(ep->state, TCI_EP_AWAITING_HELLO);
    const unsigned before = ep->stream->flushes;
    tci_handshake_ops_turn(ep, tci_clock_ns());
    assert_int_equal(ep->stream->flushes, before + 1);
    finish(node);
}

/* The same of the side that answers, where the connection carries everything. */
TEST(the_rest_of_the_answer_to_a_hello_leaves_likewise)
{
    fake_node *node = fake_node_create();
    tc_ep *ep = calling(node);
    tci_handshake_begin(ep, UINT64_MAX);
    ep->link = fake_link_create();
    ep->link->ready = TC_E_AGAIN;
    ep->state = TCI_EP_AWAITING_READY;
    assert_ok(tci_record_in_begin(ep, NULL));
    tci_handshake_ops_turn(ep, tci_clock_ns());
    assert_int_equal(ep->state, TCI_EP_AWAITING_READY);
    assert_int_equal(ep->link->turns, 1);
    finish(node);
}

TEST(nobody_there_ends_it)
{
    fake_node *node = fake_node_create();
    tc_ep *ep = calling(node);
    ep->stream->connected = (tc_error){TC_E_UNREACHABLE, "127.0.0.1:9: nobody listens"};
    tci_handshake_stream(ep);
    fake_expect_failed(ep, TC_E_UNREACHABLE, "nobody listens");
    assert_int_equal(node->seen.retried, 0);
    finish(node);
}

/* A member may start later than this side. */
TEST(a_member_that_is_not_there_yet_is_tried_again)
{
    fake_node *node = fake_node_create();
    tc_ep *ep = calling(node);
    tci_handshake_expect_rank(ep, 1);
    ep->stream->connected = (tc_error){TC_E_UNREACHABLE, "127.0.0.1:9: nobody listens"};
    tci_handshake_stream(ep);
    assert_int_equal(ep->state, TCI_EP_CONNECTING);
    assert_int_equal(node->seen.retried, 1);
    ep->stream->connected = (tc_error){TC_E_IO, "no descriptors left"}; /* that does not heal */
    tci_handshake_stream(ep);
    fake_expect_failed(ep, TC_E_IO, "no descriptors left");
    assert_int_equal(node->seen.retried, 1);
    finish(node);
}

static bool is_watched(const tc_ep *ep)
{
    struct epoll_event event = {.events = EPOLLIN};
    return epoll_ctl(ep->core->epoll_fd, EPOLL_CTL_ADD, ep->stream->fd, &event) == -1;
}

/* A crowded listener hangs up while both prove their identity. */
TEST(the_next_stream_of_a_member_is_watched_too)
{
    fake_node *node = fake_node_create();
    tc_ep *ep = calling(node);
    tci_handshake_expect_rank(ep, 1);
    ep->stream->connected.status = TC_E_AGAIN;
    ep->stream->is_proving = true;
    tci_handshake_stream(ep);
    assert_true(is_watched(ep));
    ep->stream->connected = (tc_error){TC_E_PEER_LOST, "127.0.0.1:9 closed the connection"};
    tci_handshake_stream(ep);
    assert_int_equal(node->seen.retried, 1);
    tci_stream_close(ep->stream);
    ep->stream = fake_stream_create();
    ep->stream->connected.status = TC_OK;
    tci_handshake_stream(ep);
    assert_int_equal(ep->state, TCI_EP_AWAITING_HELLO);
    assert_true(is_watched(ep));
    finish(node);
}

TEST(an_endpoint_without_a_stream_yet_is_tried_again_too)
{
    fake_node *node = fake_node_create();
    tc_ep *ep = calling(node);
    tci_stream_close(ep->stream);
    ep->stream = NULL;
    tci_handshake_stream(ep);
    assert_int_equal(node->seen.retried, 1);
    assert_int_equal(ep->state, TCI_EP_CONNECTING);
    finish(node);
}

/* Connecting, with a host that has not answered, and its time is over. */
static tc_ep *unanswered(fake_node *node)
{
    tc_ep *ep = calling(node);
    ep->stream->connected.status = TC_E_AGAIN;
    ep->stream->is_unanswered = true;
    ep->hs.stalls_ns = 1;
    return ep;
}

TEST(a_member_whose_host_does_not_answer_is_tried_again_some_times)
{
    fake_node *node = fake_node_create();
    tc_ep *ep = unanswered(node);
    tci_handshake_expect_rank(ep, 1);
    for (unsigned i = 1; i <= TCI_CONNECTING_REDIALS; i++) {
        tci_handshake_stream(ep);
        assert_int_equal(node->seen.retried, i);
        tci_handshake_stream(ep); /* the next attempt has time of its own */
        assert_int_equal(node->seen.retried, i);
        assert_true(i == TCI_CONNECTING_REDIALS ||
                    ep->hs.stalls_ns > tci_clock_ns() + (i + 1) * 200000000ull);
        ep->hs.stalls_ns = 1;
    }
    tci_handshake_stream(ep);
    assert_int_equal(node->seen.retried, TCI_CONNECTING_REDIALS);
    assert_int_equal(ep->state, TCI_EP_CONNECTING);
    finish(node);
}

TEST(a_host_that_answers_late_is_left_alone)
{
    fake_node *node = fake_node_create();
    tc_ep *ep = unanswered(node);
    ep->stream->is_unanswered = false;
    assert_false(tci_connecting_stalls(ep, 0));
    ep->stream->is_unanswered = true; /* that is about later bytes */
    assert_false(tci_connecting_stalls(ep, 0));
    ep->hs.stalls_ns = 1;
    assert_true(tci_connecting_stalls(ep, 0));
    tci_handshake_stream(ep); /* tc_ep_connect tries again itself */
    assert_int_equal(node->seen.retried, 0);
    finish(node);
}

TEST(a_peer_that_does_not_answer_is_tried_once_more)
{
    fake_node *node = fake_node_create();
    tc_ep *ep = unanswered(node);
    ep->stream->is_unanswered = false;
    assert_false(tci_connecting_stalls(ep, 0));
    assert_true(ep->hs.stalls_ns > tci_clock_ns());
    ep->hs.stalls_ns = 2; /* its time is over */
    assert_true(tci_connecting_stalls(ep, 0));
    ep->hs.stalls_ns = 2;
    assert_false(tci_connecting_stalls(ep, 1));
    assert_false(tci_connecting_stalls(ep, 0)); /* never again */
    finish(node);
}

/* --- data by it -------------------------------------------------------------------------- */

typedef struct call {
    fake_node *near, *far;
    tc_ep *ep;
    tc_ep *peer; /* the test carries its messages over */
} call;

static call make_call(void)
{
    call c = {.near = fake_node_create(), .far = fake_node_create()};
    c.near->core.options.delivery = c.far->core.options.delivery = FAKE_MAPPED;
    c.ep = calling(c.near);
    c.peer = calling(c.far);
    tci_handshake_stream(c.ep);
    tci_handshake_stream(c.peer);
    return c;
}

static void carry(tc_ep *from, tc_ep *to)
{
    const fake_post *post;
    while ((post = fake_outbox_take(&from->stream->sent)) != NULL)
        fake_stream_arrive(to->stream, post->bytes, post->size);
    tci_handshake_stream(to);
}

static void open_call(call *c)
{
    for (int i = 0; i < 3; i++) {
        carry(c->ep, c->peer);
        carry(c->peer, c->ep);
    }
    assert_true(tci_ep_is_open(c->ep));
    assert_true(tci_ep_is_open(c->peer));
}

static void end_call(call *c)
{
    fake_node_destroy(c->near);
    finish(c->far);
}

TEST(two_streams_make_an_open_endpoint)
{
    call c = make_call();
    open_call(&c);
    assert_non_null(c.ep->link);
    end_call(&c);
}

/* The stream has why, or will end as well. */
TEST(a_refusal_is_heard_behind_a_link_that_has_ended)
{
    call c = make_call();
    uint8_t bytes[TCI_HELLO_MESSAGE_MAX];
    size_t size;
    c.ep->link = fake_link_create();
    c.ep->link->ready = TC_E_PEER_LOST;
    carry(c.peer, c.ep);
    assert_int_equal(c.ep->state, TCI_EP_AWAITING_READY);
    assert_ok(tci_hello_refuse_encode(TC_E_UNSUPPORTED, "no ring of yours", bytes, sizeof bytes,
                                      &size));
    fake_stream_arrive(c.ep->stream, bytes, size);
    tci_handshake_stream(c.ep);
    fake_expect_failed(c.ep, TC_E_REFUSED, "no ring of yours");
    end_call(&c);
}

TEST(a_link_that_cannot_be_opened_is_refused)
{
    call c = make_call();
    fake_connect_status = TC_E_UNREACHABLE;
    carry(c.peer, c.ep);
    fake_connect_status = TC_OK;
    fake_expect_failed(c.ep, TC_E_UNREACHABLE, "no link there");
    assert_int_equal(c.ep->stream->sent.count, 2);
    carry(c.ep, c.peer);
    assert_int_equal(c.peer->state, TCI_EP_FAILED);
    end_call(&c);
}

TEST(what_is_no_message_is_refused)
{
    call c = make_call();
    fake_stream_arrive(c.ep->stream, "GET / HTTP/1.1\r\n\r\n", 18);
    tci_handshake_stream(c.ep);
    assert_int_equal(c.ep->state, TCI_EP_FAILED);
    assert_status(tc_ep_error(c.ep, NULL), TC_E_CORRUPT);
    assert_int_equal(c.ep->stream->sent.count, 2); /* HELLO, REFUSE */
    end_call(&c);
}

TEST(the_end_of_a_stream_is_that_of_its_endpoint)
{
    call c = make_call();
    c.ep->stream->end = (tc_error){TC_E_PEER_LOST, "127.0.0.1:9 hung up"};
    tci_handshake_stream(c.ep);
    fake_expect_failed(c.ep, TC_E_PEER_LOST, "peer lost: 127.0.0.1:9 hung up");
    end_call(&c);

    c = make_call();
    open_call(&c);
    c.ep->stream->end = (tc_error){TC_E_PEER_LOST, "127.0.0.1:9 hung up"};
    tci_handshake_stream(c.ep);
    fake_expect_failed(c.ep, TC_E_PEER_LOST, "hung up");
    end_call(&c);
}

TEST(the_end_of_a_stream_after_a_goodbye_is_none)
{
    uint8_t bytes[32];
    size_t size;
    call c = make_call();
    open_call(&c);
    assert_ok(tci_hello_bye_encode(bytes, sizeof bytes, &size));
    fake_stream_arrive(c.ep->stream, bytes, size);
    c.ep->stream->end = (tc_error){TC_E_PEER_LOST, "127.0.0.1:9 hung up"};
    tci_handshake_stream(c.ep);
    assert_true(tci_ep_is_open(c.ep));
    assert_true(c.ep->peer.said_bye);
    end_call(&c);
}

/* Others have their turn, too. */
TEST(a_peer_that_rings_for_ever_is_heard_a_bounded_number_of_times)
{
    uint8_t bytes[32];
    size_t size;
    call c = make_call();
    open_call(&c);
    assert_ok(tci_hello_wakeup_encode(bytes, sizeof bytes, &size));
    for (unsigned i = 0; i < 150; i++)
        fake_stream_arrive(c.ep->stream, bytes, size);
    const unsigned before = c.ep->stream->arrived.taken;
    tci_handshake_stream(c.ep);
    assert_in_range(c.ep->stream->arrived.taken - before, 1, 100);
    tci_handshake_stream(c.ep);
    tci_handshake_stream(c.ep);
    assert_int_equal(c.ep->stream->arrived.taken, c.ep->stream->arrived.count);
    assert_true(tci_ep_is_open(c.ep));
    end_call(&c);
}

TEST(an_endpoint_that_has_ended_hears_nothing)
{
    call c = make_call();
    fake_stream_arrive(c.ep->stream, "rubbish", 7);
    tci_handshake_stream(c.ep);
    fake_stream_arrive(c.ep->stream, "rubbish", 7);
    const unsigned taken = c.ep->stream->arrived.taken;
    tci_handshake_stream(c.ep);
    assert_int_equal(c.ep->stream->arrived.taken, taken);
    end_call(&c);
}

TEST(a_connected_stream_is_watched_by_its_endpoints_id)
{
    call c = make_call();
    assert_true(is_watched(c.ep));
    end_call(&c);
}
