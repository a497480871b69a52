/* Sources that are killed in the middle of something, and one that repeats itself: the target's
 * events of each, that the others go on, and that no resource leaks. The target is this
 * process. */
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

#define ROUNDS 2
#define WHOLE_MESSAGES 3 /* that a doomed source sends before its point */
#define PROOF 200        /* messages of the steady source that show that it goes on */
#define REPLAY_MESSAGES 3000
/* Less than one payload of a doomed source that is forgotten, 16 MB. */
#define SLACK_BYTES (12ull << 20)

typedef struct bench {
    tc_context *ctx;
    tc_listener *listener;
    tally_state state;
    char host_port[32];
    process doomed;
    process steady;
    tc_ep *newest;
    unsigned closed;
    unsigned failed;
    tc_error error; /* of the endpoint that failed last */
} bench;

/* No assertions here: a failed one would jump out of the library. */
static void on_endpoint(void *user, tc_ep *ep, tc_ep_event event)
{
    bench *b = user;
    if (event == TC_EP_OPENED)
        b->newest = ep;
    b->closed += event == TC_EP_CLOSED;
    b->failed += event == TC_EP_FAILED;
    (void)tc_ep_error(ep, &b->error);
}

static int setup(void **state)
{
    bench *b = calloc(1, sizeof *b);
    tc_error error = {0};
    tc_options *opts;
    assert_ok(tc_options_create(&opts, &error));
    /* Too small for the code of one of the functions, which then comes outside the ring. */
    assert_ok(tc_options_set(opts, "ring_bytes", "64K", &error));
    assert_ok(tc_context_create(opts, &b->ctx, &error));
    tc_options_destroy(opts);
    tc_context_set_target_args(b->ctx, &b->state);
    tc_context_set_ep_callback(b->ctx, on_endpoint, b);
    assert_ok(tc_listener_open(b->ctx, "127.0.0.1:0", &b->listener, &error));
    (void)snprintf(b->host_port, sizeof b->host_port, "127.0.0.1:%u",
                   tc_listener_port(b->listener));
    *state = b;
    return 0;
}

static int teardown(void **state)
{
    bench *b = *state;
    process_end(&b->doomed);
    process_end(&b->steady);
    tc_context_destroy(b->ctx);
    free(b);
    return 0;
}

static void serve(bench *b)
{
    const tc_status status = tc_wait(b->ctx, 10000000);
    assert_true(status == TC_OK || status == TC_E_TIMEOUT);
}

static void serve_until_reached(bench *b, const volatile uint64_t *count, uint64_t goal,
                                const char *what)
{
    const uint64_t deadline_ns = tci_deadline_after(PROCESS_DEADLINE_NS);
    while (*count < goal) {
        serve(b);
        if (tci_deadline_left_ns(deadline_ns) == 0)
            fail_msg("%s: %llu of %llu in time", what, (unsigned long long)*count,
                     (unsigned long long)goal);
    }
}

static void serve_until_failed(bench *b, unsigned goal)
{
    const uint64_t deadline_ns = tci_deadline_after(PROCESS_DEADLINE_NS);
    while (b->failed < goal) {
        serve(b);
        if (tci_deadline_left_ns(deadline_ns) == 0)
            fail_msg("%u of %u endpoints failed in time", b->failed, goal);
    }
}

/* A source of other messages, without end. */
static void start_steady(bench *b)
{
    process_start(
        &b->steady,
        (const char *const[]){PEER, "source", b->host_port, "0", "1000000000000", NULL}, NULL);
    serve_until_reached(b, &b->state.next[0], 1, "steady messages");
}

static void die_once(bench *b, const char *point)
{
    const unsigned failed = b->failed;
    b->state.next[1] = b->state.next[2] = 0;
    b->error = (tc_error){0};
    process_start(&b->doomed, (const char *const[]){DOOMED, b->host_port, point, NULL}, NULL);
    serve_until_failed(b, failed + 1);
    process_end(&b->doomed);
    assert_status(b->error.status, TC_E_PEER_LOST);
    assert_non_null(strstr(b->error.text, "peer lost"));
    assert_int_equal(b->state.next[1], WHOLE_MESSAGES);
    assert_int_equal(b->state.wrong, 0);
    serve_until_reached(b, &b->state.next[0], b->state.next[0] + PROOF, "steady messages");
    assert_int_equal(b->failed, failed + 1);
}

/* UCX frees a peer's resources some time after it has gone. */
static void serve_until_given_back(bench *b, const process_sample *before)
{
    const uint64_t deadline_ns = tci_deadline_after(PROCESS_DEADLINE_NS);
    process_sample now;
    do {
        serve(b);
        assert_true(process_sample_take(getpid(), &now));
        if (tci_deadline_left_ns(deadline_ns) == 0)
            fail_msg("descriptors %" PRIu64 ", before %" PRIu64 "; segments %" PRIu64
                     ", before %" PRIu64 "; memory %" PRIu64 ", before %" PRIu64,
                     now.descriptors, before->descriptors, now.segments, before->segments,
                     now.rss_bytes, before->rss_bytes);
    } while (now.descriptors > before->descriptors || now.segments > before->segments ||
             now.rss_bytes > before->rss_bytes + SLACK_BYTES);
}

static void die_often(bench *b, const char *point)
{
    process_sample before;
    start_steady(b);
    die_once(b, point);
    die_once(b, point);
    assert_true(process_sample_take(getpid(), &before));
    for (int i = 0; i < ROUNDS; i++)
        die_once(b, point);
    serve_until_given_back(b, &before);
    assert_int_equal(b->closed, 0);
}

TEST_WITH(a_source_that_dies_idle, setup, teardown)
{
    die_often(*state, "idle");
}

TEST_WITH(a_source_that_dies_in_a_frame, setup, teardown)
{
    die_often(*state, "frame");
}

TEST_WITH(a_source_that_dies_while_a_message_leaves, setup, teardown)
{
    die_often(*state, "message");
}

TEST_WITH(a_source_that_dies_in_a_large_payload, setup, teardown)
{
    die_often(*state, "payload");
}

TEST_WITH(a_source_that_dies_before_its_code_has_come, setup, teardown)
{
    die_often(*state, "code");
}

/* Nothing more can be sent to such a peer, and a flush must not wait until its deadline. */
TEST_WITH(a_peer_whose_credit_runs_wild, setup, teardown)
{
    bench *b = *state;
    tc_ifunc *fn;
    assert_ok(tc_ifunc_open(b->ctx, "tally", &fn, NULL));
    start_steady(b);
    process_start(&b->doomed, (const char *const[]){DOOMED, b->host_port, "wild", "stay", NULL},
                  NULL);
    serve_until_reached(b, &b->state.next[1], WHOLE_MESSAGES, "messages");
    for (int i = 0; i < 1000; i++)
        serve(b); /* it flushes before it comes to its point */
    assert_string_equal(process_read_line(&b->doomed), "there");
    assert_ok(tc_send(b->newest, fn, "x", 1));
    assert_status(tc_ep_flush(b->newest, 100 * PROCESS_DEADLINE_NS, NULL), TC_E_PEER_LOST);
    serve_until_failed(b, 1);
    assert_status(b->error.status, TC_E_PEER_LOST);
    assert_non_null(strstr(b->error.text, "ran wild"));
    serve_until_reached(b, &b->state.next[0], b->state.next[0] + PROOF, "steady messages");
    assert_int_equal(b->failed, 1);
    tc_ifunc_close(fn);
}

TEST_WITH(a_frame_that_comes_again_does_not_run_again, setup, teardown)
{
    bench *b = *state;
    if (strcmp(getenv("EXPECTED_DELIVERY"), "put") == 0)
        skip(); /* a peer's puts reach its ring in the same way as its stores */
    process_start(&b->doomed, (const char *const[]){DOOMED, b->host_port, "replay", NULL},
                  NULL);
    serve_until_reached(b, &b->state.next[1], WHOLE_MESSAGES + REPLAY_MESSAGES, "messages");
    const uint64_t deadline_ns = tci_deadline_after(PROCESS_DEADLINE_NS);
    while (b->closed + b->failed == 0 && tci_deadline_left_ns(deadline_ns) > 0)
        serve(b);
    assert_int_equal(process_read_number(&b->doomed, "replayed"),
                     WHOLE_MESSAGES + REPLAY_MESSAGES);
    assert_int_equal(b->state.next[1], WHOLE_MESSAGES + REPLAY_MESSAGES);
    assert_int_equal(b->state.wrong, 0);
}
