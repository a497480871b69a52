/* Functions on their way through several processes, and several processes that send to one.
 *
 * The program of the other processes is PEER, given at build time. */
#include "../support/process.h"
#include "../support/test.h"

#include <tc/endpoint.h>
#include <tc/ifunc.h>

#define PEERS_MAX 3
#define MESSAGES 5000u
#define SOURCE_MESSAGES 20000u

static process peers[PEERS_MAX];

/* The programs of peers 0, 1, 2, ...: PEER, or in turn those named by FORWARDING_PEERS (A:B),
 * which can be of another architecture. */
static const char *peer_program(const process *p)
{
    static char programs[2048];
    const char *given = getenv("FORWARDING_PEERS");
    if (given == NULL)
        return PEER;
    (void)snprintf(programs, sizeof programs, "%s", given);
    char *second = strchr(programs, ':');
    assert_non_null(second);
    *second++ = '\0';
    return (p - peers) % 2 == 0 ? programs : second;
}

static int end_peers(void **state)
{
    for (size_t i = 0; i < PEERS_MAX; i++)
        process_end(&peers[i]);
    return 0;
}

/* A peer that listens; gives its address. Functions are where only sources look. */
static const char *start_target(process *p, const char *role, const char *next)
{
    static char host_port[32];
    const char *const nowhere[] = {"TC_IFUNC_PATH=/nonexistent", NULL};
    process_start(p, (const char *const[]){peer_program(p), role, next, NULL}, nowhere);
    (void)process_read_line(p); /* its address bytes */
    (void)snprintf(host_port, sizeof host_port, "127.0.0.1:%u",
                   (unsigned)process_read_number(p, "port"));
    return host_port;
}

static void must(tc_status status, tc_ep *ep, tc_error *error)
{
    if (status != TC_OK && ep != NULL)
        (void)tc_ep_error(ep, error);
    if (status != TC_OK)
        fail_msg("%s: %s", tc_status_name(status), error->text);
}

static void send_numbers(const char *host_port)
{
    tc_context *ctx;
    tc_error error = {0};
    tc_ep_info info;
    tc_ifunc *fn;
    tc_ep *ep;
    must(tc_context_create(NULL, &ctx, &error), NULL, &error);
    must(tc_ep_connect(ctx, host_port, 0, &ep, &error), NULL, &error);
    must(tc_ifunc_open(ctx, "forward", &fn, &error), NULL, &error);
    tc_ep_query(ep, &info);
    assert_string_equal(info.delivery, getenv("EXPECTED_DELIVERY"));
    for (uint64_t n = 1; n <= MESSAGES; n++) {
        tc_status status;
        while ((status = tc_send(ep, fn, &n, sizeof n)) == TC_E_AGAIN)
            (void)tc_progress(ctx);
        must(status, ep, &error);
    }
    must(tc_ep_flush(ep, PROCESS_DEADLINE_NS, NULL), ep, &error);
    tc_context_destroy(ctx);
}

/* Ends the chain from its front, so that no member leaves while messages are still on the way
 * to it.
 */
static void check_chain(size_t count)
{
    for (size_t i = count; i-- > 0;) {
        process_finish_input(&peers[i]);
        assert_int_equal(process_read_number(&peers[i], "seen"), MESSAGES);
        assert_int_equal(process_read_number(&peers[i], "sum"),
                         i == 0 ? (uint64_t)MESSAGES * (MESSAGES + 1) / 2 : 0);
        assert_int_equal(process_read_number(&peers[i], "failed"), 0);
        assert_int_equal(process_wait(&peers[i]), 0);
    }
}

static void run_chain(size_t count)
{
    char host_port[32];
    (void)snprintf(host_port, sizeof host_port, "%s", start_target(&peers[0], "forward", NULL));
    for (size_t i = 1; i < count; i++)
        (void)snprintf(host_port, sizeof host_port, "%s",
                       start_target(&peers[i], "forward", host_port));
    send_numbers(host_port);
    check_chain(count);
}

TEST_WITH(a_function_goes_on_to_a_third_process, NULL, end_peers)
{
    run_chain(2);
}

TEST_WITH(a_function_goes_on_to_a_fourth_process, NULL, end_peers)
{
    run_chain(3);
}

TEST_WITH(two_sources_keep_their_order_each, NULL, end_peers)
{
    char host_port[32], count[16];
    (void)snprintf(host_port, sizeof host_port, "%s", start_target(&peers[0], "tally", NULL));
    (void)snprintf(count, sizeof count, "%u", SOURCE_MESSAGES);
    process_start(
        &peers[1],
        (const char *const[]){peer_program(&peers[1]), "source", host_port, "0", count, NULL},
        NULL);
    process_start(
        &peers[2],
        (const char *const[]){peer_program(&peers[2]), "source", host_port, "3", count, NULL},
        NULL);
    for (size_t i = 1; i <= 2; i++) {
        assert_int_equal(process_read_number(&peers[i], "flushed"), SOURCE_MESSAGES);
        process_finish_input(&peers[i]);
        assert_int_equal(process_wait(&peers[i]), 0);
    }
    for (size_t i = 0; i < 4; i++) /* both opened, both closed in order */
        assert_true(process_read_number(&peers[0], "event") != TC_EP_FAILED);
    process_finish_input(&peers[0]);
    assert_int_equal(process_read_number(&peers[0], "next"), SOURCE_MESSAGES);
    assert_int_equal(process_read_number(&peers[0], "next"), 0);
    assert_int_equal(process_read_number(&peers[0], "next"), 0);
    assert_int_equal(process_read_number(&peers[0], "next"), SOURCE_MESSAGES);
    assert_int_equal(process_read_number(&peers[0], "wrong"), 0);
    assert_int_equal(process_wait(&peers[0]), 0);
}
