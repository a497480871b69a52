/* Peers that come, are killed and come again, many times over: memory, descriptors and shared
 * segments of the process that stays, this one, are where they were. RECONNECTION_ROUNDS in the
 * environment sets the number of rounds; the figures are printed. */
#include "../../benchmarks/process_sample.h"
#include "../shipped/tally.h"
#include "../support/process.h"
#include "../support/test.h"

#include "base/clock.h"

#include <inttypes.h>
#include <signal.h>
#include <tc/endpoint.h>
#include <tc/ifunc.h>
#include <unistd.h>

#define ROUNDS 25u
#define WARM_ROUNDS 8u
#define WHOLE_MESSAGES 3u
/* Less than the rings of all rounds. Once in a while peers overlap, and UCX then grows a pool
 * of its buffers by some megabytes, for good; the number of rounds does not matter for that. */
#define SLACK_BYTES (MEMORY_FACTOR * (4ull << 20))

typedef struct bench {
    tc_context *ctx;
    tally_state state;
    char host_port[32];
    process peer;
    unsigned failed;
} bench;

static void on_endpoint(void *user, tc_ep *ep, tc_ep_event event)
{
    bench *b = user;
    (void)ep;
    b->failed += event == TC_EP_FAILED;
}

static int setup(void **state)
{
    bench *b = calloc(1, sizeof *b);
    assert_ok(tc_context_create(NULL, &b->ctx, NULL));
    tc_context_set_target_args(b->ctx, &b->state);
    tc_context_set_ep_callback(b->ctx, on_endpoint, b);
    *state = b;
    return 0;
}

static int teardown(void **state)
{
    bench *b = *state;
    process_end(&b->peer);
    tc_context_destroy(b->ctx);
    free(b);
    return 0;
}

static unsigned rounds(void)
{
    const char *text = getenv("RECONNECTION_ROUNDS");
    return text != NULL ? (unsigned)strtoul(text, NULL, 10) : ROUNDS;
}

static void serve(bench *b)
{
    const tc_status status = tc_wait(b->ctx, 10000000);
    assert_true(status == TC_OK || status == TC_E_TIMEOUT);
}

static void serve_until_failed(bench *b, unsigned goal)
{
    const uint64_t deadline_ns = tci_deadline_after(PROCESS_DEADLINE_NS);
    while (b->failed < goal) {
        serve(b);
        assert_true(tci_deadline_left_ns(deadline_ns) > 0);
    }
    assert_int_equal(b->failed, goal);
}

static bool is_as_before(const process_sample *now, const process_sample *before)
{
    return now->rss_bytes <= before->rss_bytes + SLACK_BYTES &&
           now->descriptors <= before->descriptors && now->segments <= before->segments;
}

static void repeat(bench *b, void (*round)(bench *b), const char *what)
{
    const unsigned count = rounds();
    process_sample before, after;
    for (unsigned i = 0; i < WARM_ROUNDS; i++)
        round(b);
    assert_true(process_sample_take(getpid(), &before));
    for (unsigned i = 0; i < count; i++)
        round(b);
    const uint64_t deadline_ns = tci_deadline_after(PROCESS_DEADLINE_NS);
    do {
        serve(b);
        assert_true(process_sample_take(getpid(), &after));
    } while (!is_as_before(&after, &before) && tci_deadline_left_ns(deadline_ns) > 0);
    print_message("%u %s: %" PRIu64 " -> %" PRIu64 " KB, %" PRIu64 " -> %" PRIu64
                  " descriptors, %" PRIu64 " -> %" PRIu64 " segments\n",
                  count, what, before.rss_bytes >> 10, after.rss_bytes >> 10,
                  before.descriptors, after.descriptors, before.segments, after.segments);
    assert_true(is_as_before(&after, &before));
}

/* --- sources ----------------------------------------------------------------------------- */

static void one_source(bench *b)
{
    const unsigned failed = b->failed;
    b->state.next[1] = 0;
    process_start(&b->peer, (const char *const[]){DOOMED, b->host_port, "idle", NULL}, NULL);
    serve_until_failed(b, failed + 1);
    process_end(&b->peer);
    assert_int_equal(b->state.next[1], WHOLE_MESSAGES);
    assert_int_equal(b->state.wrong, 0);
}

TEST_WITH(sources_that_are_killed_leave_nothing, setup, teardown)
{
    bench *b = *state;
    tc_listener *listener;
    assert_ok(tc_listener_open(b->ctx, "127.0.0.1:0", &listener, NULL));
    (void)snprintf(b->host_port, sizeof b->host_port, "127.0.0.1:%u",
                   tc_listener_port(listener));
    repeat(b, one_source, "sources");
}

/* --- targets ----------------------------------------------------------------------------- */

/* It has no compiler, which it would spend most of its life on; whether it runs the function or
 * refuses it is the same here. */
static void one_target(bench *b)
{
    const unsigned failed = b->failed;
    tc_error error = {0};
    tc_ifunc *fn;
    tc_ep *ep;
    process_start(
        &b->peer, (const char *const[]){PEER, "tally", NULL},
        (const char *const[]){"TC_ENGINE_PATH=/nonexistent", "TC_LOG_LEVEL=off", NULL});
    (void)process_read_line(&b->peer); /* its address */
    (void)snprintf(b->host_port, sizeof b->host_port, "127.0.0.1:%u",
                   (unsigned)process_read_number(&b->peer, "port"));
    if (tc_ep_connect(b->ctx, b->host_port, PROCESS_DEADLINE_NS, &ep, &error) != TC_OK)
        fail_msg("connect: %s", error.text);
    assert_ok(tc_ifunc_open(b->ctx, "tally", &fn, NULL));
    assert_ok(tc_send(ep, fn, "x", 1));
    assert_ok(tc_ep_flush(ep, PROCESS_DEADLINE_NS, NULL));
    process_signal(&b->peer, SIGKILL);
    serve_until_failed(b, failed + 1);
    assert_status(tc_ep_error(ep, NULL), TC_E_PEER_LOST);
    tc_ep_close(ep);
    tc_ifunc_close(fn);
    process_end(&b->peer);
}

TEST_WITH(targets_that_are_killed_leave_nothing, setup, teardown)
{
    repeat(*state, one_target, "targets");
}
