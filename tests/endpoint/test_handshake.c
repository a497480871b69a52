/* HELLO and READY from a peer that may send anything, in any order, by both carriers. */
#include "../support/fake_node.h"
#include "core/ep_message.h"
#include "endpoint/ep_life.h"
#include "endpoint/handshake.h"

static size_t hello_of(tc_ep *ep, uint8_t *out)
{
    tc_error error;
    assert_ok(tci_handshake_send_hello(ep, &error));
    const fake_post *post = fake_outbox_take(&ep->link->sent);
    assert_non_null(post);
    memcpy(out, post->bytes, post->size);
    return post->size;
}

/* A HELLO of far's, changed by the test. */
static tci_hello decode(const uint8_t *bytes, size_t size)
{
    tci_hello hello;
    assert_ok(tci_hello_decode(bytes, size, TCI_HELLO_HELLO, &hello, NULL));
    return hello;
}

/* A pair that begins to connect: ep has the peer's HELLO, and its link is in that state. */
static size_t greet(fake_pair *pair, tc_status link, uint8_t bytes[TCI_HELLO_MESSAGE_MAX])
{
    fake_pair_make(pair, FAKE_MAPPED);
    const size_t size = hello_of(pair->peer, bytes);
    pair->ep->link->ready = link;
    tci_handshake_message(pair->ep, TCI_HELLO_HELLO, bytes, size);
    return size;
}

/* A pair of which ep has not heard yet, and the peer's HELLO, whose parts are in bytes. */
static tci_hello meet(fake_pair *pair, uint8_t bytes[TCI_HELLO_MESSAGE_MAX])
{
    fake_pair_make(pair, FAKE_MAPPED);
    return decode(bytes, hello_of(pair->peer, bytes));
}

static void say_hello(tc_ep *to, const tci_hello *hello)
{
    uint8_t bytes[TCI_HELLO_MESSAGE_MAX];
    size_t size;
    assert_ok(tci_hello_encode(hello, TCI_HELLO_HELLO, bytes, sizeof bytes, &size, NULL));
    tci_handshake_message(to, TCI_HELLO_HELLO, bytes, size);
}

static void say_ready(tc_ep *to, uint8_t delivery)
{
    uint8_t bytes[32];
    size_t size;
    assert_ok(tci_hello_ready_encode(delivery, bytes, sizeof bytes, &size));
    tci_handshake_message(to, TCI_HELLO_READY, bytes, size);
}

static void say_refuse(tc_ep *to, tc_status status, const char *text)
{
    uint8_t bytes[TCI_HELLO_MESSAGE_MAX];
    size_t size;
    assert_ok(tci_hello_refuse_encode(status, text, bytes, sizeof bytes, &size));
    tci_handshake_message(to, TCI_HELLO_REFUSE, bytes, size);
}

/* The kind of the next message that ep sent, or 0. */
static int next_kind(tc_ep *ep, tc_error *refusal_out)
{
    tci_hello_preamble preamble;
    fake_outbox *sent = ep->stream != NULL ? &ep->stream->sent : &ep->link->sent;
    const fake_post *post = fake_outbox_take(sent);
    if (post == NULL)
        return 0;
    assert_ok(tci_hello_preamble_decode(post->bytes, post->size, &preamble, NULL));
    if (preamble.kind == TCI_HELLO_REFUSE)
        assert_ok(tci_hello_refuse_decode(post->bytes, post->size, refusal_out, NULL));
    return (int)preamble.kind;
}

TEST(both_sides_say_hello_then_ready_and_are_open)
{
    fake_pair pair;
    tc_ep_info info;
    fake_pair_make(&pair, FAKE_CARRIED);
    fake_pair_connect(&pair);
    assert_int_equal(fake_outbox_count(&pair.ep->link->sent, TCI_AM_HELLO), 2);
    assert_int_equal(fake_outbox_count(&pair.peer->link->sent, TCI_AM_HELLO), 2);
    tc_ep_query(pair.ep, &info);
    assert_string_equal(info.delivery, "carried");
    assert_string_equal(info.peer_ucx, "1.13.1");
    assert_string_equal(info.peer_llvm, "none");
    assert_string_equal(info.peer_library, TC_VERSION_STRING);
    fake_pair_close(&pair);
}

NODE_TEST(our_hello_is_said_once)
{
    tc_ep *ep = fake_node_ep(node);
    tc_error error;
    for (int i = 0; i < 3; i++)
        assert_ok(tci_handshake_send_hello(ep, &error));
    assert_int_equal(next_kind(ep, NULL), TCI_HELLO_HELLO);
    assert_int_equal(next_kind(ep, NULL), 0);
}

/* A side that has both READYs may close at any time, so ours waits until UCX has connected. */
TEST(ready_waits_for_the_link)
{
    fake_pair pair;
    uint8_t bytes[TCI_HELLO_MESSAGE_MAX];
    (void)greet(&pair, TC_E_AGAIN, bytes);
    assert_int_equal(next_kind(pair.ep, NULL), TCI_HELLO_HELLO);
    assert_int_equal(next_kind(pair.ep, NULL), 0);
    say_ready(pair.ep, FAKE_MAPPED);
    tci_handshake_turn(pair.ep);
    assert_false(tci_ep_is_open(pair.ep));
    pair.ep->link->ready = TC_OK;
    tci_handshake_turn(pair.ep);
    assert_int_equal(next_kind(pair.ep, NULL), TCI_HELLO_READY);
    assert_true(tci_ep_is_open(pair.ep));
    fake_pair_close(&pair);
}

TEST(a_link_that_breaks_meanwhile_ends_it)
{
    fake_pair pair;
    uint8_t bytes[TCI_HELLO_MESSAGE_MAX];
    (void)greet(&pair, TC_E_PEER_LOST, bytes);
    fake_expect_failed(pair.ep, TC_E_PEER_LOST, "the link broke");
    fake_pair_close(&pair);
}

TEST(a_second_hello_ends_it)
{
    fake_pair pair;
    uint8_t bytes[TCI_HELLO_MESSAGE_MAX];
    const size_t size = greet(&pair, TC_OK, bytes);
    tci_handshake_message(pair.ep, TCI_HELLO_HELLO, bytes, size);
    fake_expect_failed(pair.ep, TC_E_CORRUPT, "second HELLO");
    fake_pair_close(&pair);

    fake_pair_open(&pair, FAKE_MAPPED);
    tci_handshake_message(pair.ep, TCI_HELLO_HELLO, bytes, size);
    fake_expect_failed(pair.ep, TC_E_CORRUPT, "second HELLO");
    fake_pair_close(&pair);
}

TEST(ready_comes_once_and_behind_hello)
{
    fake_pair pair;
    uint8_t bytes[TCI_HELLO_MESSAGE_MAX];
    fake_pair_make(&pair, FAKE_MAPPED);
    say_ready(pair.ep, FAKE_MAPPED);
    fake_expect_failed(pair.ep, TC_E_CORRUPT, "READY before HELLO, or twice");
    fake_pair_close(&pair);

    (void)greet(&pair, TC_E_AGAIN, bytes);
    say_ready(pair.ep, FAKE_MAPPED);
    say_ready(pair.ep, FAKE_MAPPED);
    fake_expect_failed(pair.ep, TC_E_CORRUPT, "READY before HELLO, or twice");
    fake_pair_close(&pair);
}

TEST(a_delivery_that_is_unknown_here_is_refused)
{
    fake_pair pair;
    uint8_t bytes[TCI_HELLO_MESSAGE_MAX];
    tc_error refusal = {0};
    (void)greet(&pair, TC_OK, bytes);
    say_ready(pair.ep, 77);
    fake_expect_failed(pair.ep, TC_E_CORRUPT, "delivery 77, expected 1 (mapped)");
    assert_int_equal(next_kind(pair.ep, &refusal), TCI_HELLO_HELLO);
    assert_int_equal(next_kind(pair.ep, &refusal), TCI_HELLO_READY);
    assert_int_equal(next_kind(pair.ep, &refusal), TCI_HELLO_REFUSE);
    assert_status(refusal.status, TC_E_CORRUPT);
    fake_pair_close(&pair);
}

TEST(damaged_hellos_are_refused_with_their_reason)
{
    uint8_t bytes[TCI_HELLO_MESSAGE_MAX];
    for (size_t cut = 0; cut < 3; cut++) {
        fake_pair pair;
        tc_error refusal = {0};
        fake_pair_make(&pair, FAKE_MAPPED);
        size_t size = hello_of(pair.peer, bytes);
        if (cut == 0)
            bytes[size - 1] ^= 1;
        else
            size = cut == 1 ? size - 1 : 3;
        tci_handshake_message(pair.ep, TCI_HELLO_HELLO, bytes, size);
        assert_int_equal(pair.ep->state, TCI_EP_FAILED);
        assert_status(tc_ep_error(pair.ep, NULL), TC_E_CORRUPT);
        assert_int_equal(next_kind(pair.ep, &refusal), TCI_HELLO_REFUSE);
        assert_status(refusal.status, TC_E_CORRUPT);
        assert_int_equal(pair.near->seen.opened, 0);
        fake_pair_close(&pair);
    }
}

TEST(another_version_of_ucx_is_refused)
{
    fake_pair pair;
    uint8_t bytes[TCI_HELLO_MESSAGE_MAX];
    tc_error refusal = {0};
    tci_hello hello = meet(&pair, bytes);
    hello.ucx.minor++;
    say_hello(pair.ep, &hello);
    fake_expect_failed(pair.ep, TC_E_VERSION, "the peer runs UCX 1.14.1, this side 1.13.1");
    assert_int_equal(next_kind(pair.ep, &refusal), TCI_HELLO_REFUSE);
    assert_status(refusal.status, TC_E_VERSION);
    assert_non_null(strstr(refusal.text, "the peer runs UCX 1.13.1, this side 1.14.1"));
    fake_pair_close(&pair);
}

/* Each side's text is about the right one: also that which the refused side reads. */
TEST(a_side_without_ucx_is_named_as_each_sees_it)
{
    static const char *const texts[] = {"the peer's library was built without UCX",
                                        "this library was built without UCX"};
    for (size_t here = 0; here < 2; here++) {
        fake_pair pair;
        uint8_t bytes[TCI_HELLO_MESSAGE_MAX];
        tc_error refusal = {0};
        tci_hello hello = meet(&pair, bytes);
        tci_hello *without = here ? &pair.near->core.self : &hello;
        without->ucx = (tci_hello_version){0, 0, 0};
        say_hello(pair.ep, &hello);
        fake_expect_failed(pair.ep, TC_E_VERSION, texts[here]);
        assert_int_equal(next_kind(pair.ep, &refusal), TCI_HELLO_REFUSE);
        say_refuse(pair.peer, refusal.status, refusal.text);
        fake_expect_failed(pair.peer, TC_E_VERSION, texts[1 - here]);
        fake_pair_close(&pair);
    }
}

TEST(a_ring_that_is_not_there_is_refused)
{
    fake_pair pair;
    uint8_t bytes[TCI_HELLO_MESSAGE_MAX];
    tci_hello hello = meet(&pair, bytes);
    hello.ring_address += 4096;
    say_hello(pair.ep, &hello);
    fake_expect_failed(pair.ep, TC_E_UNSUPPORTED, "no ring is there");
    fake_pair_close(&pair);
}

/* Its pid means something here, and no process has it. */
TEST(a_peer_that_ended_meanwhile_is_lost)
{
    fake_pair pair;
    uint8_t bytes[TCI_HELLO_MESSAGE_MAX];
    tci_hello hello = meet(&pair, bytes);
    hello.pid = INT32_MAX;
    say_hello(pair.ep, &hello);
    fake_expect_failed(pair.ep, TC_E_PEER_LOST, "2147483647 ended while connecting");
    fake_pair_close(&pair);

    hello = meet(&pair, bytes); /* of another host it means nothing */
    hello.pid = INT32_MAX;
    hello.host_id[0]++;
    say_hello(pair.ep, &hello);
    assert_int_equal(pair.ep->state, TCI_EP_AWAITING_READY);
    fake_pair_close(&pair);
}

TEST(a_refusal_is_the_peers_whatever_it_says)
{
    static const struct {
        tc_status said, is;
    } cases[] = {{TC_E_VERSION, TC_E_VERSION},
                 {TC_E_CORRUPT, TC_E_REFUSED},
                 {TC_E_NO_MEMORY, TC_E_REFUSED},
                 {TC_E_TIMEOUT, TC_E_REFUSED}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        fake_pair pair;
        fake_pair_make(&pair, FAKE_MAPPED);
        say_refuse(pair.ep, cases[i].said, "not you");
        fake_expect_failed(pair.ep, cases[i].is, "peer refused the connection: not you");
        fake_pair_close(&pair);
    }
    fake_pair pair;
    fake_pair_make(&pair, FAKE_MAPPED);
    tci_handshake_message(pair.ep, TCI_HELLO_REFUSE, "short", 5);
    fake_expect_failed(pair.ep, TC_E_CORRUPT, "");
    fake_pair_close(&pair);
}

TEST(a_goodbye_is_noted_and_ends_nothing_yet)
{
    fake_pair pair;
    fake_pair_open(&pair, FAKE_MAPPED);
    tci_ep_message_bye(pair.peer);
    fake_pair_carry(&pair);
    assert_true(tci_ep_is_open(pair.ep)); /* its earlier messages are run first */
    assert_true(pair.ep->peer.said_bye);
    assert_true(tci_pending_has(&pair.near->core.pending, TCI_WORK_GOODBYE));
    fake_pair_close(&pair);
}

TEST(a_bell_is_borne_as_soon_as_both_have_greeted)
{
    fake_pair pair;
    uint8_t bytes[TCI_HELLO_MESSAGE_MAX];
    fake_pair_make(&pair, FAKE_MAPPED);
    tci_handshake_message(pair.ep, TCI_HELLO_WAKEUP, bytes, 16);
    fake_expect_failed(pair.ep, TC_E_CORRUPT, "kind 6 while connecting");
    fake_pair_close(&pair);

    (void)greet(&pair, TC_E_AGAIN, bytes);
    tci_handshake_message(pair.ep, TCI_HELLO_WAKEUP, bytes, 16);
    assert_int_equal(pair.ep->state, TCI_EP_AWAITING_READY);
    fake_pair_close(&pair);
}

TEST(kinds_that_have_no_place_here_end_it)
{
    static const int kinds[] = {TCI_HELLO_ADDRESS, 0, 7, 255};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        fake_pair pair;
        fake_pair_open(&pair, FAKE_MAPPED);
        tci_handshake_message(pair.ep, (tci_hello_kind)kinds[i], "", 0);
        fake_expect_failed(pair.ep, TC_E_CORRUPT, "peer sent a message of kind");
        fake_pair_close(&pair);
    }
}

NODE_TEST(who_is_late_is_named_if_it_is_known)
{
    tc_ep *unknown = fake_node_ep(node), *member = fake_node_ep(node);
    tci_handshake_expect_rank(member, 3);
    tci_handshake_begin(unknown, 1000);
    tci_handshake_begin(member, 1000);
    tci_handshake_expire(unknown, 999);
    assert_int_equal(unknown->state, TCI_EP_AWAITING_HELLO);
    tci_handshake_expire(unknown, 1000);
    fake_expect_failed(unknown, TC_E_TIMEOUT, "connecting: the peer did not answer in time");
    tci_handshake_expire(member, 1000);
    fake_expect_failed(member, TC_E_TIMEOUT, "connecting: rank 3 did not answer in time");
}

TEST(one_that_answers_in_place_of_a_member_has_the_same_deadline)
{
    fake_pair pair;
    fake_pair_make(&pair, FAKE_MAPPED);
    tci_handshake_expect_rank(pair.ep, 5);
    tci_handshake_begin(pair.ep, 1000);
    fake_pair_connect(&pair);
    assert_false(tci_ep_takes_messages(pair.ep));
    tci_handshake_expire(pair.ep, 999);
    assert_true(tci_ep_is_open(pair.ep));
    tci_handshake_expire(pair.ep, 1000);
    fake_expect_failed(pair.ep, TC_E_TIMEOUT, "somebody answered in place of rank 5");
    fake_pair_close(&pair);

    fake_pair_open(&pair, FAKE_MAPPED); /* others have no deadline once they are open */
    tci_handshake_begin(pair.ep, 1000);
    tci_handshake_expire(pair.ep, UINT64_MAX);
    assert_true(tci_ep_is_open(pair.ep));
    fake_pair_close(&pair);
}

TEST(a_side_without_ring_memory_left_gets_a_small_ring)
{
    fake_pair pair;
    uint8_t bytes[TCI_HELLO_MESSAGE_MAX];
    fake_pair_make(&pair, FAKE_CARRIED);
    pair.far->core.options.ring_bytes = 1u << 20;
    pair.far->core.options.ring_memory_max = 1u << 20;
    tci_hello hello = decode(bytes, hello_of(pair.peer, bytes));
    assert_int_equal(hello.ring_bytes, 1u << 20);
    assert_int_equal(pair.far->core.counters[TCI_RINGS_CLOSED], 0);
    tc_ep *second = fake_node_ep(pair.far);
    hello = decode(bytes, hello_of(second, bytes));
    assert_int_equal(hello.ring_bytes, 16u << 10);
    assert_int_equal(pair.far->core.counters[TCI_RINGS_CLOSED], 1);
    tci_ep_free(pair.peer);
    pair.peer = fake_node_ep(pair.far);
    hello = decode(bytes, hello_of(pair.peer, bytes)); /* which is free again */
    assert_int_equal(hello.ring_bytes, 1u << 20);
    fake_pair_close(&pair);
}

TEST(a_peer_may_take_smaller_frames_than_its_ring_would)
{
    fake_pair pair;
    uint8_t bytes[TCI_HELLO_MESSAGE_MAX];
    tci_hello hello = meet(&pair, bytes);
    hello.frame_bytes_max = 1024;
    say_hello(pair.ep, &hello);
    say_ready(pair.ep, FAKE_MAPPED);
    tc_ep_info info;
    tc_ep_query(pair.ep, &info);
    assert_in_range(info.frame_payload_max, 1, 1024 - TCI_FRAME_HEADER_BYTES);
    fake_pair_close(&pair);
}
