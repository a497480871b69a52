/* Peers that are killed in the middle of large payloads. */
#include "../shipped/check.h"
#include "../support/process.h"
#include "../support/test.h"

#include "base/clock.h"

#include <signal.h>
#include <tc/endpoint.h>
#include <tc/ifunc.h>

#define ROUNDS 6
#define BYTES (3u << 20)

typedef struct bench {
    process peer;
    tc_context *ctx;
    tc_listener *listener;
    check_state seen;
    unsigned ended; /* endpoints */
    char host_port[32];
} bench;

static void on_endpoint(void *user, tc_ep *ep, tc_ep_event event)
{
    bench *b = user;
    (void)ep;
    b->ended += event != TC_EP_OPENED;
}

static int setup(void **state)
{
    bench *b = calloc(1, sizeof *b);
    assert_ok(tc_context_create(NULL, &b->ctx, NULL));
    tc_context_set_ep_callback(b->ctx, on_endpoint, b);
    tc_context_set_target_args(b->ctx, &b->seen);
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

static void progress_until(bench *b, const uint64_t *count64, const unsigned *count,
                           uint64_t target)
{
    uint64_t deadline = tci_deadline_after(PROCESS_DEADLINE_NS);
    while ((count64 != NULL ? *count64 : *count) < target) {
        (void)tc_progress(b->ctx);
        if (tci_clock_ns() > deadline)
            fail_msg("%llu never came", (unsigned long long)target);
    }
}

static unsigned shared_mappings(void)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[512];
    unsigned count = 0;
    assert_non_null(maps);
    while (fgets(line, sizeof line, maps) != NULL)
        count += strstr(line, "/SYSV") != NULL;
    (void)fclose(maps);
    return count;
}

TEST_WITH(a_source_that_is_killed_leaves_nothing, setup, teardown)
{
    bench *b = *state;
    unsigned mappings = 0;
    char size[16];
    assert_ok(tc_listener_open(b->ctx, "127.0.0.1:0", &b->listener, NULL));
    (void)snprintf(b->host_port, sizeof b->host_port, "127.0.0.1:%u",
                   tc_listener_port(b->listener));
    for (unsigned round = 0; round < ROUNDS; round++) {
        /* Some payloads fit where they land, the others come in parts. */
        (void)snprintf(size, sizeof size, "%u", round % 2 == 0 ? BYTES / 2 : BYTES);
        b->seen = (check_state){0};
        process_start(&b->peer, (const char *const[]){PEER, "bulk", b->host_port, size, NULL},
                      NULL);
        progress_until(b, &b->seen.next, NULL, 3);
        for (unsigned i = 0; i < round * 37; i++) /* another moment each time */
            (void)tc_progress(b->ctx);
        process_signal(&b->peer, SIGKILL);
        progress_until(b, NULL, &b->ended, round + 1);
        assert_int_equal(process_wait(&b->peer), 128 + SIGKILL);
        assert_int_equal(b->seen.wrong, 0);
        (void)tc_progress(b->ctx);
        if (round < 2)
            mappings = shared_mappings();
        assert_in_range(shared_mappings(), 0, mappings);
    }
}

/* The payload's memory is the caller's again when tc_send reports the peer as lost. */
TEST_WITH(a_target_that_is_killed_ends_the_send, setup, teardown)
{
    bench *b = *state;
    for (unsigned round = 0; round < ROUNDS; round++) {
        tc_ifunc *fn;
        tc_ep *ep;
        uint8_t *payload = malloc(2 * BYTES);
        process_start(&b->peer, (const char *const[]){PEER, "check", NULL}, NULL);
        (void)process_read_line(&b->peer);
        (void)snprintf(b->host_port, sizeof b->host_port, "127.0.0.1:%llu",
                       (unsigned long long)process_read_number(&b->peer, "port"));
        assert_ok(tc_ifunc_open(b->ctx, "check", &fn, NULL));
        assert_ok(tc_ep_connect(b->ctx, b->host_port, PROCESS_DEADLINE_NS, &ep, NULL));
        uint64_t deadline = tci_deadline_after(PROCESS_DEADLINE_NS);
        tc_status status = TC_OK;
        for (uint64_t n = 0; status == TC_OK && tci_clock_ns() < deadline; n++) {
            size_t size = BYTES / 2 << round % 3;
            check_fill(payload, n, size);
            unsigned again = 0;
            while ((status = tc_send(ep, fn, payload, size)) == TC_E_AGAIN &&
                   tci_clock_ns() < deadline) {
                (void)tc_progress(b->ctx);
                if (n == 2 && again++ == round * 3)
                    process_signal(&b->peer, SIGKILL);
            }
            if (n == 3)
                process_signal(&b->peer, SIGKILL);
        }
        assert_status(status, TC_E_PEER_LOST);
        free(payload);
        assert_status(tc_ep_error(ep, NULL), TC_E_PEER_LOST);
        tc_ep_close(ep);
        tc_ifunc_close(fn);
        assert_int_equal(process_wait(&b->peer), 128 + SIGKILL);
        process_end(&b->peer);
    }
}
