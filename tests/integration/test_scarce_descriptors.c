/* A process that has no descriptor left does not lose its peers, and still learns of their
 * death. */
#include "../shipped/tally.h"
#include "../support/process.h"
#include "../support/test.h"

#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <tc/advanced.h>
#include <tc/endpoint.h>
#include <tc/ifunc.h>
#include <unistd.h>

#define DESCRIPTORS 256u
#define STARVED_NS 2500000000ull /* UCX would have looked twice */
#define MESSAGES 100u

enum { BY_ADDRESS, BY_STREAM, ENDPOINTS };

typedef struct bench {
    process peer;
    tc_context *ctx;
    tc_ep *eps[ENDPOINTS];
    unsigned ended;
    int taken[DESCRIPTORS];
    unsigned taken_count;
} bench;

static void on_endpoint(void *user, tc_ep *ep, tc_ep_event event)
{
    (void)ep;
    ((bench *)user)->ended += event != TC_EP_OPENED;
}

static void connect_both(bench *b)
{
    uint8_t address[8192];
    size_t size = 0;
    unsigned byte;
    char host_port[32];
    const char *line = process_read_line(&b->peer);
    assert_int_equal(strncmp(line, "address ", 8), 0);
    for (line += 8; sscanf(line, "%2x", &byte) == 1; line += 2)
        address[size++] = (uint8_t)byte;
    (void)snprintf(host_port, sizeof host_port, "127.0.0.1:%u",
                   (unsigned)process_read_number(&b->peer, "port"));
    assert_ok(tc_ep_connect_address(b->ctx, address, size, PROCESS_DEADLINE_NS,
                                    &b->eps[BY_ADDRESS], NULL));
    assert_ok(tc_ep_connect(b->ctx, host_port, PROCESS_DEADLINE_NS, &b->eps[BY_STREAM], NULL));
}

static int setup(void **state)
{
    bench *b = calloc(1, sizeof *b);
    process_start(&b->peer, (const char *const[]){PEER, "tally", NULL}, NULL);
    assert_ok(tc_context_create(NULL, &b->ctx, NULL));
    tc_context_set_ep_callback(b->ctx, on_endpoint, b);
    connect_both(b);
    *state = b;
    return 0;
}

static int teardown(void **state)
{
    bench *b = *state;
    while (b->taken_count > 0)
        (void)close(b->taken[--b->taken_count]);
    process_end(&b->peer);
    tc_context_destroy(b->ctx);
    free(b);
    return 0;
}

static void take_descriptors(bench *b)
{
    struct rlimit limit;
    int fd;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    limit.rlim_cur = DESCRIPTORS;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
    while ((fd = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0)
        b->taken[b->taken_count++] = fd;
    assert_int_equal(errno, EMFILE);
}

static void serve(bench *b)
{
    const tc_status status = tc_wait(b->ctx, 10000000);
    assert_true(status == TC_OK || status == TC_E_TIMEOUT);
}

static void send_messages(bench *b, unsigned which)
{
    tc_ifunc *fn;
    assert_ok(tc_ifunc_open(b->ctx, "tally", &fn, NULL));
    for (uint64_t n = 0; n < MESSAGES; n++) {
        const tally_message message = {which, n};
        while (tc_send(b->eps[which], fn, &message, sizeof message) == TC_E_AGAIN)
            (void)tc_progress(b->ctx);
    }
    assert_ok(tc_ep_flush(b->eps[which], PROCESS_DEADLINE_NS, NULL));
    tc_ifunc_close(fn);
}

TEST_WITH(peers_stay_where_descriptors_run_out, setup, teardown)
{
    bench *b = *state;
    uint64_t end_ns = tci_deadline_after(STARVED_NS);
    take_descriptors(b);
    while (tci_deadline_left_ns(end_ns) > 0)
        serve(b);
    for (unsigned i = 0; i < ENDPOINTS; i++) {
        tc_error error = {0};
        if (tc_ep_error(b->eps[i], &error) != TC_OK)
            fail_msg("endpoint %u: %s", i, error.text);
    }
    while (b->taken_count > 0)
        (void)close(b->taken[--b->taken_count]);
    for (unsigned i = 0; i < ENDPOINTS; i++)
        send_messages(b, i);
}

TEST_WITH(their_death_is_noticed_all_the_same, setup, teardown)
{
    bench *b = *state;
    const uint64_t deadline_ns = tci_deadline_after(PROCESS_DEADLINE_NS);
    take_descriptors(b);
    process_signal(&b->peer, SIGKILL);
    (void)process_wait(&b->peer);
    while (b->ended < ENDPOINTS && tci_deadline_left_ns(deadline_ns) > 0)
        serve(b);
    for (unsigned i = 0; i < ENDPOINTS; i++)
        assert_status(tc_ep_error(b->eps[i], NULL), TC_E_PEER_LOST);
}

/* In a process of its own: where UCX cannot accept a connection without a free descriptor, it
 * gives up its socket, and no other context of the process gets one. */
static int run_alone(const char *name)
{
    int status = 0;
    const pid_t child = fork();
    if (child == 0) {
        cmocka_set_test_filter(name);
        exit(test_run(NULL, NULL));
    }
    return child < 0 || waitpid(child, &status, 0) != child || status != 0;
}

int main(void)
{
    const int failed = run_alone("peers_stay_where_descriptors_run_out");
    return run_alone("their_death_is_noticed_all_the_same") || failed;
}
