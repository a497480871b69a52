/* A target that stops in the middle of everything: the errors of its source, that other targets
 * of the same source go on, and that waiting for it costs no memory. The source is this
 * process.
 */
#include "../../benchmarks/process_sample.h"
#include "../shipped/check.h"
#include "../shipped/tally.h"
#include "../support/process.h"
#include "../support/test.h"

#include "base/clock.h"

#include <signal.h>
#include <tc/advanced.h>
#include <tc/endpoint.h>
#include <tc/ifunc.h>
#include <unistd.h>

#define CONTENT_BYTES 200u
#define LARGE_BYTES (8u << 20)
#define RING_BYTES 65536u
#define TRIES 100000u
#define OTHERS 3000u         /* messages that another target runs meanwhile */
#define FLUSH_NS 20000000ull /* far too short for a target that does not run */
/* A tenth of the memory that the tries would leave behind if each left its message. */
#define SLACK_BYTES (MEMORY_FACTOR * (2ull << 20))

/* One target process and this side's end. */
typedef struct peer {
    process target;
    char host_port[32];
    uint8_t address[PROCESS_LINE_MAX / 2];
    size_t address_size;
    tc_ep *ep;
    uint64_t n; /* messages that were taken */
} peer;

typedef struct bench {
    tc_context *ctx;
    tc_ifunc *tally;
    peer silent;
    peer other;
} bench;

static void start_peer(peer *p)
{
    process_start(&p->target, (const char *const[]){PEER, "tally", NULL},
                  (const char *const[]){"TC_RING_BYTES=65536", NULL});
    const char *line = process_read_line(&p->target);
    unsigned byte;
    assert_int_equal(strncmp(line, "address ", 8), 0);
    for (line += 8; sscanf(line, "%2x", &byte) == 1; line += 2)
        p->address[p->address_size++] = (uint8_t)byte;
    (void)snprintf(p->host_port, sizeof p->host_port, "127.0.0.1:%u",
                   (unsigned)process_read_number(&p->target, "port"));
}

static void expect_opened(peer *p)
{
    assert_int_equal(process_read_number(&p->target, "event"), TC_EP_OPENED);
}

static void connect_peer(bench *b, peer *p)
{
    tc_error error = {0};
    tc_status status = tc_ep_connect(b->ctx, p->host_port, PROCESS_DEADLINE_NS, &p->ep, &error);
    if (status != TC_OK)
        fail_msg("%s: %s", tc_status_name(status), error.text);
    expect_opened(p);
}

/* Without a stream of its own, so that goodbyes go where messages go. */
static void connect_by_address(bench *b, peer *p)
{
    tc_error error = {0};
    tc_status status = tc_ep_connect_address(b->ctx, p->address, p->address_size,
                                             PROCESS_DEADLINE_NS, &p->ep, &error);
    if (status != TC_OK)
        fail_msg("%s: %s", tc_status_name(status), error.text);
}

static tc_status try_to_send(bench *b, peer *p)
{
    struct {
        tally_message head;
        uint8_t content[CONTENT_BYTES];
    } message = {.head = {0, p->n}};
    check_fill(message.content, p->n, CONTENT_BYTES);
    tc_status status = tc_send(p->ep, b->tally, &message, sizeof message);
    p->n += status == TC_OK;
    (void)tc_progress(b->ctx);
    return status;
}

static void send_many(bench *b, peer *p, uint64_t count)
{
    const uint64_t deadline_ns = tci_deadline_after(PROCESS_DEADLINE_NS);
    for (uint64_t goal = p->n + count; p->n < goal;) {
        tc_status status = try_to_send(b, p);
        assert_true(status == TC_OK || status == TC_E_AGAIN);
        assert_true(tci_deadline_left_ns(deadline_ns) > 0);
    }
    assert_int_equal(tc_ep_flush(p->ep, PROCESS_DEADLINE_NS, NULL), TC_OK);
}

static int setup(void **state)
{
    bench *b = calloc(1, sizeof *b);
    tc_options *opts;
    start_peer(&b->silent);
    start_peer(&b->other);
    assert_int_equal(tc_options_create(&opts, NULL), TC_OK);
    assert_int_equal(tc_options_set(opts, "close_timeout", "100ms", NULL), TC_OK);
    assert_int_equal(tc_context_create(opts, &b->ctx, NULL), TC_OK);
    tc_options_destroy(opts);
    assert_int_equal(tc_ifunc_open(b->ctx, "tally", &b->tally, NULL), TC_OK);
    connect_peer(b, &b->silent);
    connect_peer(b, &b->other);
    send_many(b, &b->silent, 10);
    send_many(b, &b->other, 10);
    *state = b;
    return 0;
}

static int teardown(void **state)
{
    bench *b = *state;
    process_end(&b->silent.target);
    tc_context_destroy(b->ctx);
    process_end(&b->other.target);
    free(b);
    return 0;
}

/* Sends until nothing goes any more; all of it lies in the target's ring or on the way there.
 */
static void fill(bench *b)
{
    const uint64_t before = b->silent.n;
    unsigned in_vain = 0;
    process_signal(&b->silent.target, SIGSTOP);
    while (in_vain < 1000) {
        tc_status status = try_to_send(b, &b->silent);
        assert_true(status == TC_OK || status == TC_E_AGAIN);
        in_vain = status == TC_OK ? 0 : in_vain + 1;
    }
    assert_true((b->silent.n - before) * CONTENT_BYTES <= RING_BYTES);
}

static void finish_target(peer *p, uint64_t messages)
{
    process_finish_input(&p->target);
    assert_int_equal(process_read_number(&p->target, "next"), messages);
    for (int i = 1; i < TALLY_SOURCES; i++)
        assert_int_equal(process_read_number(&p->target, "next"), 0);
    assert_int_equal(process_read_number(&p->target, "wrong"), 0);
    assert_int_equal(process_wait(&p->target), 0);
}

TEST_WITH(it_goes_on_where_it_stopped, setup, teardown)
{
    bench *b = *state;
    fill(b);
    assert_int_equal(tc_ep_flush(b->silent.ep, FLUSH_NS, NULL), TC_E_TIMEOUT);
    assert_int_equal(tc_ep_error(b->silent.ep, NULL), TC_OK);
    process_signal(&b->silent.target, SIGCONT);
    send_many(b, &b->silent, 5000);
    tc_ep_close(b->silent.ep);
    assert_int_equal(process_read_number(&b->silent.target, "event"), TC_EP_CLOSED);
    finish_target(&b->silent, b->silent.n);
}

TEST_WITH(others_go_on_and_nothing_grows, setup, teardown)
{
    bench *b = *state;
    process_sample before, after;
    fill(b);
    for (unsigned i = 0; i < 100; i++)
        assert_int_equal(tc_ep_flush(b->silent.ep, 1, NULL), TC_E_TIMEOUT);
    send_many(b, &b->other, OTHERS);
    assert_true(process_sample_take(getpid(), &before));
    for (unsigned i = 0; i < TRIES; i++)
        assert_int_equal(try_to_send(b, &b->silent), TC_E_AGAIN);
    for (unsigned i = 0; i < 1000; i++)
        assert_int_equal(tc_ep_flush(b->silent.ep, 1, NULL), TC_E_TIMEOUT);
    send_many(b, &b->other, OTHERS);
    assert_true(process_sample_take(getpid(), &after));
    assert_true(after.rss_bytes <= before.rss_bytes + SLACK_BYTES);
    assert_int_equal(after.descriptors, before.descriptors);
    assert_int_equal(after.segments, before.segments);
    assert_int_equal(tc_ep_error(b->silent.ep, NULL), TC_OK);
    tc_ep_close(b->other.ep);
    assert_int_equal(process_read_number(&b->other.target, "event"), TC_EP_CLOSED);
    finish_target(&b->other, b->other.n);
}

/* The close gives up; the target finds an end in order when it wakes, behind as many whole
 * messages as had left. */
TEST_WITH(closing_it_ends, setup, teardown)
{
    bench *b = *state;
    fill(b);
    tc_ep_close(b->silent.ep);
    send_many(b, &b->other, OTHERS);
    process_signal(&b->silent.target, SIGCONT);
    uint64_t event = process_read_number(&b->silent.target, "event");
    assert_true(event == TC_EP_CLOSED || event == TC_EP_FAILED);
    connect_peer(b, &b->silent); /* and serves us again */
    tc_ep_close(b->silent.ep);
    assert_int_equal(process_read_number(&b->silent.target, "event"), TC_EP_CLOSED);
    process_finish_input(&b->silent.target);
    assert_true(process_read_number(&b->silent.target, "next") <= b->silent.n);
    for (int i = 1; i < TALLY_SOURCES; i++)
        assert_int_equal(process_read_number(&b->silent.target, "next"), 0);
    assert_int_equal(process_read_number(&b->silent.target, "wrong"), 0);
}

/* Returns the number of lost messages, which were all that were sent since the target
 * stopped; it may have run some before. */
static uint64_t expect_loss(bench *b, tc_status status)
{
    char words[64];
    uint64_t lost = 0;
    tc_error error = {TC_OK, ""};
    assert_int_equal(tc_ep_finish(b->silent.ep, FLUSH_NS, &lost, &error), status);
    assert_int_equal(error.status, status);
    assert_in_range(lost, 1, b->silent.n - 10);
    (void)snprintf(words, sizeof words, "%u messages may not have run: ", (unsigned)lost);
    assert_non_null(strstr(error.text, words));
    return lost;
}

TEST_WITH(finishing_counts_what_a_stopped_target_has_not_run, setup, teardown)
{
    bench *b = *state;
    fill(b);
    const uint64_t lost = expect_loss(b, TC_E_TIMEOUT);
    send_many(b, &b->other, OTHERS);
    process_signal(&b->silent.target, SIGCONT);
    (void)process_read_number(&b->silent.target, "event");
    process_finish_input(&b->silent.target);
    const uint64_t ran = process_read_number(&b->silent.target, "next");
    assert_in_range(ran, b->silent.n - lost, b->silent.n);
}

TEST_WITH(finishing_counts_what_a_killed_target_has_not_run, setup, teardown)
{
    bench *b = *state;
    const uint64_t deadline_ns = tci_deadline_after(PROCESS_DEADLINE_NS);
    fill(b);
    process_end(&b->silent.target);
    while (tc_ep_error(b->silent.ep, NULL) == TC_OK) {
        (void)tc_progress(b->ctx);
        assert_true(tci_deadline_left_ns(deadline_ns) > 0);
    }
    (void)expect_loss(b, TC_E_PEER_LOST);
    send_many(b, &b->other, OTHERS);
}

/* The goodbye takes another way than the new greeting. It may even be among the messages that
 * the close gave up: UCX's queue in shared memory is short, and frames fill them. So the target
 * may be notified of the end late. */
static void expect_opened_at_last(peer *p)
{
    uint64_t event = process_read_number(&p->target, "event");
    if (event == TC_EP_OPENED)
        return;
    assert_true(event == TC_EP_CLOSED || event == TC_EP_FAILED);
    expect_opened(p);
}

TEST_WITH(closing_it_ends_without_a_stream, setup, teardown)
{
    bench *b = *state;
    tc_ep_close(b->silent.ep);
    assert_int_equal(process_read_number(&b->silent.target, "event"), TC_EP_CLOSED);
    connect_by_address(b, &b->silent);
    expect_opened(&b->silent);
    send_many(b, &b->silent, 10);
    fill(b);
    assert_int_equal(tc_ep_flush(b->silent.ep, FLUSH_NS, NULL), TC_E_TIMEOUT);
    tc_ep_close(b->silent.ep);
    send_many(b, &b->other, OTHERS);
    process_signal(&b->silent.target, SIGCONT);
    connect_by_address(b, &b->silent);
    expect_opened_at_last(&b->silent);
    tc_ep_close(b->silent.ep);
}

/* A payload in pieces is under way, and its target dies without ever reading on. */
TEST_WITH(it_dies_with_a_payload_half_there, setup, teardown)
{
    bench *b = *state;
    const uint64_t deadline_ns = tci_deadline_after(PROCESS_DEADLINE_NS);
    uint8_t *bytes = calloc(1, LARGE_BYTES);
    tc_status status;
    process_signal(&b->silent.target, SIGSTOP);
    for (unsigned i = 0; i < 1000; i++) {
        assert_int_equal(tc_send(b->silent.ep, b->tally, bytes, LARGE_BYTES), TC_E_AGAIN);
        (void)tc_progress(b->ctx);
    }
    process_end(&b->silent.target);
    while ((status = tc_send(b->silent.ep, b->tally, bytes, LARGE_BYTES)) == TC_E_AGAIN) {
        (void)tc_progress(b->ctx);
        assert_true(tci_deadline_left_ns(deadline_ns) > 0);
    }
    assert_int_equal(status, TC_E_PEER_LOST);
    assert_int_equal(tc_ep_flush(b->silent.ep, PROCESS_DEADLINE_NS, NULL), TC_E_PEER_LOST);
    tc_ep_close(b->silent.ep);
    free(bytes);
    send_many(b, &b->other, OTHERS);
}
