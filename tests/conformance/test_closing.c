/* How endpoints end: that each is notified of its result, independent of others that end at the
 * same time, and that ending many takes no longer than ending one. */
#include "../support/pair.h"
#include "../support/test.h"
#include "../support/test_context.h"

#include "base/clock.h"
#include "context/context_object.h"
#include "core/network_ops.h"

#include <tc/group.h>

#define PEERS 100u /* more than one look at the descriptors serves */

/* The events of the target's program. */
typedef struct heard {
    unsigned opened, closed, failed;
    tc_error error; /* of the one that failed last */
} heard;

static void hear(void *user, tc_ep *ep, tc_ep_event event)
{
    heard *h = user;
    h->opened += event == TC_EP_OPENED;
    h->closed += event == TC_EP_CLOSED;
    h->failed += event == TC_EP_FAILED;
    if (event == TC_EP_FAILED)
        (void)tc_ep_error(ep, &h->error);
}

/* The target receives everything from here on; until then it is paused. */
static void serve_until_ended(pair *p, const heard *h, unsigned count)
{
    uint64_t deadline_ns = tci_deadline_after(PAIR_TIMEOUT_NS);
    while (h->closed + h->failed < count) {
        (void)tc_progress(p->target);
        if (tci_deadline_left_ns(deadline_ns) == 0)
            fail_msg("%u closed and %u failed of %u", h->closed, h->failed, count);
    }
}

PAIR_TEST(all_who_close_while_nobody_looks_have_closed)
{
    heard h = {.opened = 0};
    tc_context *peers[PEERS];
    tc_ep *ep;
    tc_error error = {0};
    pair_pause(p);
    tc_context_set_ep_callback(p->target, hear, &h);
    pair_resume(p);
    for (unsigned i = 0; i < PEERS; i++) {
        peers[i] = test_context(NULL);
        must(tc_ep_connect(peers[i], p->host_port, PAIR_TIMEOUT_NS, &ep, &error), &error,
             "connect");
    }
    pair_pause(p);
    for (unsigned i = 0; i < PEERS; i++)
        tc_context_destroy(peers[i]);
    /* UCX reports all links' ends before the streams are polled. */
    for (unsigned i = 0; i < 100 * PEERS; i++)
        (void)tci_network_progress(&p->target->core);
    serve_until_ended(p, &h, PEERS);
    if (h.failed > 0)
        fail_msg("%u of %u: %s", h.failed, PEERS, h.error.text);
    tc_context_set_ep_callback(p->target, NULL, NULL);
}

/* On a busy machine a timeout may be over before anything but the rings was looked at. */
PAIR_TEST(the_shortest_wait_sees_an_end)
{
    heard h = {.opened = 0};
    pair_pause(p);
    tc_context_set_ep_callback(p->target, hear, &h);
    while (tc_wait(p->target, 1) == TC_OK)
        ;
    tc_ep_close(p->ep);
    p->ep = NULL;
    assert_int_equal(tc_wait(p->target, 1), TC_OK);
    assert_int_equal(h.closed, 1);
    tc_context_set_ep_callback(p->target, NULL, NULL);
}

/* UCX emulates puts over sockets: the target answers each. UCX 1.13 ends the process
 * ("unexpected error: Endpoint timeout") if the source has gone when it does. */
static void leave_puts_under_way(void)
{
    if (strcmp(getenv("EXPECTED_DELIVERY"), "put") == 0 && getenv("UCX_TLS") != NULL)
        skip();
}

/* The target polls again when the source has long given up: it is notified of an end in order
 * only if everything was run. */
TEST(who_gives_up_does_not_end_in_order)
{
    pair p;
    heard h = {.opened = 0};
    leave_puts_under_way();
    pair_open(&p, (const char *const[]){"ring_bytes", "4K", "close_timeout", "100ms", NULL});
    tc_ifunc *fn = pair_ifunc(&p, "check");
    uint64_t sent = 0;
    pair_send_check(p.ep, fn, sent++, 16);
    pair_flush(p.ep);
    pair_pause(&p);
    tc_context_set_ep_callback(p.target, hear, &h);
    uint8_t payload[200];
    for (unsigned tries = 0; tries < 1000; tries++) {
        check_fill(payload, sent, sizeof payload);
        tc_status status = tc_send(p.ep, fn, payload, sizeof payload);
        sent += status == TC_OK;
        (void)tc_progress(p.source);
    }
    assert_true(sent > 5);
    tc_ep_close(p.ep);
    p.ep = NULL;
    serve_until_ended(&p, &h, 1);
    assert_int_equal(p.target_state.wrong, 0);
    if (h.closed > 0)
        assert_int_equal(p.target_state.next, sent);
    else
        assert_non_null(strstr(h.error.text, "close_timeout"));
    if (strcmp(getenv("EXPECTED_DELIVERY"), "direct") == 0)
        assert_int_equal(h.closed, 1);
    else
        assert_int_equal(h.failed, 1);
    tc_context_set_ep_callback(p.target, NULL, NULL);
    pair_close(&p);
}

/* A program's action in its callback. */
static void close_inside_a_callback(pair *p)
{
    (void)tci_pending_enter(&p->source->core.pending, TCI_RUNNING);
    tc_ep_close(p->ep);
    tci_pending_leave(&p->source->core.pending, TCI_RUNNING, 0);
    p->ep = NULL;
    (void)tc_progress(p->source);
}

static void pair_to_listen_to(pair *p, heard *h, tc_ifunc **fn_out)
{
    pair_open(p, (const char *const[]){"ring_bytes", "4K", NULL});
    *fn_out = pair_ifunc(p, "check");
    pair_send_check(p->ep, *fn_out, 0, 16);
    pair_flush(p->ep);
    pair_pause(p);
    tc_context_set_ep_callback(p->target, hear, h);
}

TEST(closing_inside_a_callback_loses_nothing_in_silence)
{
    pair p;
    heard h = {.opened = 0};
    tc_ifunc *fn;
    uint8_t payload[200];
    uint64_t sent = 1;
    leave_puts_under_way();
    pair_to_listen_to(&p, &h, &fn);
    (void)tci_pending_enter(&p.source->core.pending, TCI_RUNNING);
    for (unsigned tries = 0; tries < 50;
         tries++) { /* more than the ring takes: some are queued */
        check_fill(payload, sent, sizeof payload);
        sent += tc_send(p.ep, fn, payload, sizeof payload) == TC_OK;
    }
    tci_pending_leave(&p.source->core.pending, TCI_RUNNING, 0);
    assert_int_equal(sent, 51);
    close_inside_a_callback(&p);
    serve_until_ended(&p, &h, 1);
    assert_int_equal(p.target_state.wrong, 0);
    assert_true(p.target_state.next < sent);
    assert_int_equal(h.failed, 1);
    assert_non_null(strstr(h.error.text, "callback"));
    tc_context_set_ep_callback(p.target, NULL, NULL);
    pair_close(&p);
}

/* Nothing keeps its messages from coming, but a busy machine may be late. */
TEST(closing_inside_a_callback_flushes)
{
    pair p;
    heard h = {.opened = 0};
    tc_ifunc *fn;
    uint64_t sent = 1;
    pair_to_listen_to(&p, &h, &fn);
    pair_resume(&p);
    while (sent < 6)
        pair_send_check(p.ep, fn, sent++, 8);
    close_inside_a_callback(&p);
    pair_pause(&p);
    serve_until_ended(&p, &h, 1);
    assert_int_equal(p.target_state.wrong, 0);
    if (h.closed == 1)
        assert_int_equal(p.target_state.next, sent);
    else
        assert_non_null(strstr(h.error.text, "callback"));
    tc_context_set_ep_callback(p.target, NULL, NULL);
    pair_close(&p);
}

/* --- peers that do not answer ------------------------------------------------------------- */

#define HUNG 8u
#define CLOSE_NS 500000000ull
/* Half of the time that one after the other would take. */
#define TOGETHER_NS (HUNG * CLOSE_NS / 2)

static const char *const patience[] = {"close_timeout", "500ms", NULL};

/* A context with endpoints to several targets, and a message on its way on each, when the
 * targets stop to look. */
typedef struct crowd {
    tc_context *source;
    tc_group *group; /* of all; NULL: none */
    tc_context *targets[HUNG];
    check_state states[HUNG];
    char addresses[HUNG + 1][32];
    tc_ep *eps[HUNG];
    server server;
} crowd;

static unsigned progress_targets(void *user)
{
    crowd *c = user;
    unsigned run = 0;
    for (unsigned i = 0; i < HUNG; i++)
        run += tc_progress(c->targets[i]);
    return run;
}

static void listen_at(tc_context *ctx, char address[32])
{
    tc_listener *listener;
    tc_error error = {0};
    must(tc_listener_open(ctx, "127.0.0.1:0", &listener, &error), &error, "listener");
    (void)snprintf(address, 32, "127.0.0.1:%u", tc_listener_port(listener));
}

static void crowd_start(crowd *c)
{
    memset(c, 0, sizeof *c);
    c->source = test_context(patience);
    listen_at(c->source, c->addresses[HUNG]);
    for (unsigned i = 0; i < HUNG; i++) {
        c->targets[i] = test_context(patience);
        tc_context_set_target_args(c->targets[i], &c->states[i]);
        listen_at(c->targets[i], c->addresses[i]);
    }
    server_start(&c->server, progress_targets, c);
}

static void crowd_connect(crowd *c)
{
    tc_error error = {0};
    for (unsigned i = 0; i < HUNG; i++)
        must(tc_ep_connect(c->source, c->addresses[i], PAIR_TIMEOUT_NS, &c->eps[i], &error),
             &error, "connect");
}

static void form_group(crowd *c)
{
    tc_group_member members[HUNG + 1];
    tc_error error = {0};
    for (unsigned i = 0; i <= HUNG; i++)
        members[i] = (tc_group_member){c->addresses[i], strlen(c->addresses[i])};
    tc_group_params params = {.id = 9, .rank = HUNG, .size = HUNG + 1, .members = members};
    tc_group *other;
    must(tc_group_create(c->source, &params, &c->group, &error), &error, "group");
    server_pause(&c->server);
    for (params.rank = 0; params.rank < HUNG; params.rank++)
        must(tc_group_create(c->targets[params.rank], &params, &other, &error), &error,
             "group");
    server_resume(&c->server);
    must(tc_group_connect(c->group, PAIR_TIMEOUT_NS, &error), &error, "connect");
    for (uint32_t rank = 0; rank < HUNG; rank++)
        must(tc_group_ep(c->group, rank, &c->eps[rank], &error), &error, "endpoint");
}

/* No side polls from here on, and a message is under way to each. */
static void hang(crowd *c)
{
    tc_ifunc *fn;
    tc_error error = {0};
    must(tc_ifunc_open(c->source, "check", &fn, &error), &error, "check");
    server_pause(&c->server);
    for (unsigned i = 0; i < HUNG; i++)
        pair_send_check(c->eps[i], fn, 0, 100);
}

static void crowd_end(crowd *c)
{
    server_resume(&c->server);
    tc_context_destroy(c->source);
    server_stop(&c->server);
    for (unsigned i = 0; i < HUNG; i++)
        tc_context_destroy(c->targets[i]);
}

TEST(peers_that_hang_are_waited_for_together)
{
    crowd c;
    leave_puts_under_way();
    crowd_start(&c);
    crowd_connect(&c);
    hang(&c);
    uint64_t begin_ns = tci_clock_ns();
    tc_context_destroy(c.source);
    uint64_t took_ns = tci_clock_ns() - begin_ns;
    assert_in_range(took_ns, CLOSE_NS, TOGETHER_NS);
    c.source = NULL;
    crowd_end(&c);
}

TEST(members_that_hang_are_waited_for_together)
{
    crowd c;
    heard h = {.opened = 0};
    leave_puts_under_way();
    crowd_start(&c);
    form_group(&c);
    tc_context_set_ep_callback(c.source, hear, &h);
    hang(&c);
    uint64_t begin_ns = tci_clock_ns();
    tc_group_destroy(c.group);
    uint64_t took_ns = tci_clock_ns() - begin_ns;
    assert_in_range(took_ns, CLOSE_NS, TOGETHER_NS);
    assert_int_equal(h.closed, HUNG); /* the program is notified of each before it goes */
    assert_int_equal(h.failed, 0);
    tc_context_set_ep_callback(c.source, NULL, NULL);
    crowd_end(&c);
}
