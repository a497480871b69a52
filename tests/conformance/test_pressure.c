/* More messages than the other side can take: the statuses of every delivery; run once for
 * each. */
#include "../support/pair.h"
#include "../support/test.h"
#include "../support/test_context.h"

#include <inttypes.h>
#include <sched.h>

#define SHORT_NS 20000000ull

TEST(two_targets_that_flood_each_other_do_not_stall)
{
    pair p;
    uint8_t payload[200] = {2};
    pair_open(&p, (const char *const[]){"ring_bytes", "4K", "send_queue_bytes", "64M", NULL});
    tc_ifunc *fn = pair_ifunc(&p, "flood");
    for (int i = 0; i < 4; i++)
        assert_ok(pair_send(p.ep, fn, payload, sizeof payload));
    while (p.source_state.next < 4 * 100)
        assert_ok(tc_wait(p.source, PAIR_TIMEOUT_NS));
    pair_flush(p.ep);
    assert_int_equal(p.source_state.wrong, 0);
    assert_int_equal(p.target_state.wrong, 0);
    assert_int_equal(p.target_state.next, 4 + 4 * 100 * 100);
    pair_close(&p);
}

/* Returns whether each side has run all messages that the other one could send. */
static bool has_settled(pair *p)
{
    pair_pause(p); /* which orders the target's stores */
    bool settled = p->source_state.next == p->target_state.replies &&
                   p->target_state.next == 1 + p->source_state.replies;
    pair_resume(p);
    return settled;
}

/* A hundred answers of 200 bytes fill the ring and the queue; the function is notified of each
 * that finds no space, and the others arrive. */
TEST(a_full_queue_is_said_inside_a_function)
{
    pair p;
    uint8_t payload[200] = {2};
    tc_status status;
    pair_open(&p, (const char *const[]){"ring_bytes", "4K", "send_queue_bytes", "8K", NULL});
    tc_ifunc *fn = pair_ifunc(&p, "flood");
    assert_ok(pair_send(p.ep, fn, payload, sizeof payload));
    do {
        while ((status = tc_wait(p.source, SHORT_NS)) == TC_OK)
            ;
        assert_status(status, TC_E_TIMEOUT);
    } while (!has_settled(&p));
    pair_flush(p.ep);
    /* A side that is read as fast as it writes finds space for all; hardly both do. */
    assert_true(p.target_state.wrong + p.source_state.wrong > 0);
    assert_int_equal(p.target_state.wrong + p.target_state.replies, 100);
    assert_int_equal(p.source_state.wrong + p.source_state.replies, 100 * p.source_state.next);
    pair_close(&p);
}

TEST(closing_ends_though_the_peer_never_looks)
{
    pair p;
    uint8_t payload[100];
    uint64_t n = 0;
    pair_open(&p, (const char *const[]){"ring_bytes", "4K", "close_timeout", "50ms", NULL});
    tc_ifunc *fn = pair_ifunc(&p, "check");
    tc_ep *other = pair_connect(&p);
    pair_send_check(p.ep, fn, n++, sizeof payload);
    pair_flush(p.ep);
    pair_pause(&p);
    for (int tries = 0; tries < 1000; tries++) {
        check_fill(payload, n, sizeof payload);
        n += tc_send(p.ep, fn, payload, sizeof payload) == TC_OK;
        (void)tc_progress(p.source);
    }
    assert_status(tc_ep_flush(p.ep, SHORT_NS, NULL), TC_E_TIMEOUT);
    tc_ep_close(p.ep);
    p.ep = NULL;
    pair_resume(&p);
    pair_flush(other);
    tc_ep_close(other);
    tc_ep_close(pair_connect(&p));
    pair_pause(&p);
    assert_true(p.target_state.next <= n); /* messages that had left before the end */
    assert_int_equal(p.target_state.wrong, 0);
    pair_close(&p);
}

/* --- many sources ------------------------------------------------------------------------ */

#define SOURCES 16u
#define ROUNDS 300u

typedef struct source {
    tc_context *ctx;
    tc_ep *ep;
    tc_ifunc *fn;
    uint64_t sent;
} source;

static void open_source(source *s, const pair *p)
{
    tc_error error = {0};
    s->ctx = test_context(NULL);
    s->sent = 0;
    must(tc_ep_connect(s->ctx, p->host_port, PAIR_TIMEOUT_NS, &s->ep, &error), &error,
         "connect");
    must(tc_ifunc_open(s->ctx, "flood", &s->fn, &error), &error, "flood");
}

/* They take turns always in the same order, so the first ones find all slots free. */
static void send_all_that_fits(source *s)
{
    uint8_t nothing[8] = {0};
    (void)tc_progress(s->ctx);
    for (unsigned i = 0; i < 10000 && tc_send(s->ep, s->fn, nothing, sizeof nothing) == TC_OK;
         i++)
        s->sent++;
    (void)tc_progress(s->ctx);
}

PAIR_TEST(sources_that_flood_one_target_have_a_part_each)
{
    static source sources[SOURCES];
    uint64_t least = UINT64_MAX, most = 0;
    for (unsigned i = 0; i < SOURCES; i++)
        open_source(&sources[i], p);
    pair_pause(p);
    for (unsigned round = 0; round < ROUNDS; round++) {
        for (unsigned i = 0; i < SOURCES; i++)
            send_all_that_fits(&sources[i]);
        for (unsigned i = 0; i < 1000 && tc_progress(p->target) > 0; i++)
            ;
    }
    pair_resume(p);
    for (unsigned i = 0; i < SOURCES; i++) {
        least = sources[i].sent < least ? sources[i].sent : least;
        most = sources[i].sent > most ? sources[i].sent : most;
        tc_context_destroy(sources[i].ctx);
    }
    if (least < most / 10)
        fail_msg("messages of a source: %" PRIu64 " to %" PRIu64, least, most);
}
