/* Address bytes that are carried from one process to another, without a listener in between,
 * and their result when their process does not live or does not listen. */
#include "../../benchmarks/process_sample.h"
#include "../shipped/tally.h"
#include "../support/process.h"
#include "../support/test.h"

#include "base/clock.h"
#include "context/context_object.h"
#include "core/network_ops.h"

#include <poll.h>
#include <signal.h>
#include <tc/endpoint.h>
#include <tc/ifunc.h>
#include <unistd.h>

#define SHORT_NS 500000000ull
#define MESSAGES 2000u

/* A target process, and this process's end. */
typedef struct bench {
    process peer;
    tc_context *ctx;
    uint8_t address[8192];
    size_t size;
    unsigned closed; /* events that this side saw */
    unsigned failed;
} bench;

static void on_endpoint(void *user, tc_ep *ep, tc_ep_event event)
{
    bench *b = user;
    (void)ep;
    b->closed += event == TC_EP_CLOSED;
    b->failed += event == TC_EP_FAILED;
}

static int setup(void **state)
{
    bench *b = calloc(1, sizeof *b);
    process_start(&b->peer, (const char *const[]){PEER, "tally", NULL}, NULL);
    const char *line = process_read_line(&b->peer);
    assert_int_equal(strncmp(line, "address ", 8), 0);
    unsigned byte;
    for (line += 8; sscanf(line, "%2x", &byte) == 1; line += 2)
        b->address[b->size++] = (uint8_t)byte;
    (void)process_read_number(&b->peer, "port");
    assert_int_equal(tc_context_create(NULL, &b->ctx, NULL), TC_OK);
    tc_context_set_ep_callback(b->ctx, on_endpoint, b);
    *state = b;
    return 0;
}

static int teardown(void **state)
{
    bench *b = *state;
    tc_context_destroy(b->ctx);
    process_end(&b->peer);
    free(b);
    return 0;
}

static tc_ep *connect_by_address(bench *b)
{
    tc_error error = {0};
    tc_ep *ep;
    tc_status status =
        tc_ep_connect_address(b->ctx, b->address, b->size, PROCESS_DEADLINE_NS, &ep, &error);
    if (status != TC_OK)
        fail_msg("%s: %s", tc_status_name(status), error.text);
    return ep;
}

static void send_messages(bench *b, tc_ep *ep)
{
    tc_ifunc *fn;
    assert_int_equal(tc_ifunc_open(b->ctx, "tally", &fn, NULL), TC_OK);
    for (uint64_t n = 0; n < MESSAGES; n++) {
        const tally_message message = {1, n};
        tc_status status;
        while ((status = tc_send(ep, fn, &message, sizeof message)) == TC_E_AGAIN)
            (void)tc_progress(b->ctx);
        assert_int_equal(status, TC_OK);
    }
    assert_int_equal(tc_ep_flush(ep, PROCESS_DEADLINE_NS, NULL), TC_OK);
    tc_ifunc_close(fn);
}

TEST_WITH(messages_go_by_an_address, setup, teardown)
{
    bench *b = *state;
    tc_ep_info info;
    tc_ep *ep = connect_by_address(b);
    tc_ep_query(ep, &info);
    assert_string_equal(info.delivery, getenv("EXPECTED_DELIVERY"));
    assert_int_equal(process_read_number(&b->peer, "event"), TC_EP_OPENED);
    send_messages(b, ep);
    tc_ep_close(ep);
    assert_int_equal(process_read_number(&b->peer, "event"), TC_EP_CLOSED);
    process_finish_input(&b->peer);
    assert_int_equal(process_read_number(&b->peer, "next"), 0);
    assert_int_equal(process_read_number(&b->peer, "next"), MESSAGES);
    assert_int_equal(process_read_number(&b->peer, "next"), 0);
    assert_int_equal(process_read_number(&b->peer, "next"), 0);
    assert_int_equal(process_read_number(&b->peer, "wrong"), 0);
    assert_int_equal(process_wait(&b->peer), 0);
}

static void wait_for_end(bench *b)
{
    while (b->closed + b->failed == 0)
        assert_int_equal(tc_wait(b->ctx, PROCESS_DEADLINE_NS), TC_OK);
}

TEST_WITH(a_peer_that_closes_is_heard, setup, teardown)
{
    bench *b = *state;
    tc_ep *ep = connect_by_address(b);
    send_messages(b, ep);
    process_finish_input(&b->peer);
    wait_for_end(b);
    assert_int_equal(b->closed, 1);
    assert_int_equal(tc_ep_error(ep, NULL), TC_E_CLOSED);
    tc_ep_close(ep);
}

TEST_WITH(a_peer_that_dies_is_found, setup, teardown)
{
    bench *b = *state;
    tc_error error = {0};
    tc_ep *ep = connect_by_address(b);
    send_messages(b, ep);
    process_end(&b->peer);
    wait_for_end(b);
    assert_int_equal(b->failed, 1);
    assert_int_equal(tc_ep_error(ep, &error), TC_E_PEER_LOST);
    assert_non_null(strstr(error.text, "peer lost"));
    tc_ep_close(ep);
}

static void expect_no_connection(bench *b)
{
    tc_error error = {0};
    tc_ep *ep;
    tc_status status =
        tc_ep_connect_address(b->ctx, b->address, b->size, SHORT_NS, &ep, &error);
    assert_true(status == TC_E_UNREACHABLE || status == TC_E_TIMEOUT ||
                status == TC_E_PEER_LOST);
    assert_true(error.text[0] != '\0');
    assert_int_equal(error.status, status);
    assert_int_equal(b->closed + b->failed, 0); /* of an endpoint that its caller never had */
}

static uint64_t descriptors(void)
{
    process_sample now;
    assert_true(process_sample_take(getpid(), &now));
    return now.descriptors;
}

/* UCX 1.13 keeps a socket with a refused connection until its worker ends. */
static void expect_no_connection_and_no_socket(bench *b)
{
    const uint64_t before = descriptors();
    expect_no_connection(b);
    assert_int_equal(descriptors(), before);
}

TEST_WITH(the_address_of_a_dead_process, setup, teardown)
{
    bench *b = *state;
    process_kill_unreaped(&b->peer);
    expect_no_connection_and_no_socket(b);
    process_end(&b->peer);
    expect_no_connection_and_no_socket(b);
}

TEST_WITH(the_address_of_a_process_that_hangs, setup, teardown)
{
    bench *b = *state;
    process_signal(&b->peer, SIGSTOP);
    expect_no_connection(b);
    process_signal(&b->peer, SIGCONT);
    tc_ep_close(connect_by_address(b));
}

/* --- a source that dies while it connects to this process --------------------------------- */

/* Stays in the call that connects until it is killed. */
static int connect_for_good(const char *peer)
{
    uint8_t address[8192];
    size_t size = 0;
    unsigned byte;
    tc_context *ctx;
    tc_ep *ep;
    if (tc_context_create(NULL, &ctx, NULL) != TC_OK)
        return 1;
    if (strchr(peer, ':') != NULL)
        return (int)tc_ep_connect(ctx, peer, PROCESS_DEADLINE_NS, &ep, NULL);
    for (; sscanf(peer, "%2x", &byte) == 1; peer += 2)
        address[size++] = (uint8_t)byte;
    return (int)tc_ep_connect_address(ctx, address, size, PROCESS_DEADLINE_NS, &ep, NULL);
}

static unsigned ucx_mappings(void)
{
    FILE *maps = fopen("/proc/self/maps", "re");
    char line[512];
    unsigned count = 0;
    assert_non_null(maps);
    while (fgets(line, sizeof line, maps) != NULL)
        count += strstr(line, "ucx_shm_posix") != NULL;
    (void)fclose(maps);
    return count;
}

/* The resources of this process before it has a peer. */
typedef struct holdings {
    unsigned mappings;
    uint64_t descriptors;
} holdings;

static holdings take_holdings(void)
{
    return (holdings){ucx_mappings(), descriptors()};
}

static void progress_until_given_back(tc_context *ctx, holdings before)
{
    const uint64_t deadline_ns = tci_deadline_after(PROCESS_DEADLINE_NS / 4);
    holdings now;
    do {
        (void)tc_progress(ctx);
        now = take_holdings();
        if (tci_deadline_left_ns(deadline_ns) == 0)
            fail_msg("%u mappings of UCX's, before %u; %u descriptors, before %u", now.mappings,
                     before.mappings, (unsigned)now.descriptors, (unsigned)before.descriptors);
    } while (ctx->core.first != NULL || now.mappings > before.mappings ||
             now.descriptors > before.descriptors);
}

/* UCX has answered, and has the source's memory; its HELLO has come, and is not read yet. */
TEST(who_dies_while_it_connects_leaves_nothing)
{
    tc_context *ctx;
    process doomed;
    size_t size;
    char digits[2 * 8192 + 1];
    assert_int_equal(tc_context_create(NULL, &ctx, NULL), TC_OK);
    const uint8_t *address = tc_context_address(ctx, &size);
    for (size_t i = 0; i < size; i++)
        (void)snprintf(digits + 2 * i, 3, "%02x", address[i]);
    const holdings before = take_holdings();
    process_start(&doomed, (const char *const[]){"/proc/self/exe", digits, NULL}, NULL);
    uint64_t deadline_ns = tci_deadline_after(PROCESS_DEADLINE_NS);
    while (ctx->inbox.count == 0) {
        (void)tci_network_progress(&ctx->core);
        assert_true(tci_deadline_left_ns(deadline_ns) > 0);
    }
    process_end(&doomed);
    progress_until_given_back(ctx, before);
    tc_context_destroy(ctx);
}

/* The HELLO of a process that has ended lies in the stream. */
TEST(who_dies_behind_its_hello_leaves_nothing)
{
    tc_context *ctx;
    tc_listener *listener;
    process doomed;
    char host_port[32];
    assert_int_equal(tc_context_create(NULL, &ctx, NULL), TC_OK);
    assert_int_equal(tc_listener_open(ctx, "127.0.0.1:0", &listener, NULL), TC_OK);
    (void)snprintf(host_port, sizeof host_port, "127.0.0.1:%u", tc_listener_port(listener));
    const holdings before = take_holdings();
    process_start(&doomed, (const char *const[]){"/proc/self/exe", host_port, NULL}, NULL);
    const uint64_t deadline_ns = tci_deadline_after(PROCESS_DEADLINE_NS);
    while (ctx->core.first == NULL) {
        (void)tc_progress(ctx);
        assert_true(tci_deadline_left_ns(deadline_ns) > 0);
    }
    assert_int_equal(ctx->core.first->state, TCI_EP_AWAITING_HELLO);
    struct pollfd hello = {.fd = tci_stream_fd(ctx->core.first->stream), .events = POLLIN};
    assert_int_equal(poll(&hello, 1, (int)(PROCESS_DEADLINE_NS / 1000000)), 1);
    process_end(&doomed);
    progress_until_given_back(ctx, before);
    tc_context_destroy(ctx);
}

int main(int argc, char **argv)
{
    if (argc == 2)
        return connect_for_good(argv[1]);
    return test_run(NULL, NULL);
}
