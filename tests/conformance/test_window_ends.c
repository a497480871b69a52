/* Owners without windows, and ends: of owners, endpoints and contexts with operations under
 * way. */
#include "window_pair.h"

#include "context/context_object.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* The peer's library refuses the function then; it is asked again each time. */
TEST(an_owner_without_windows_may_open_one_later)
{
    static uint64_t memory[8] = {42};
    pair p;
    tc_error error = {0};
    uint64_t got = 0;
    tc_gptr at = {.generation = 1};
    pair_open(&p, NULL);
    for (unsigned i = 0; i < 2; i++) {
        assert_status(tc_window_get(p.ep, at, &got, 8, PAIR_TIMEOUT_NS, &error),
                      TC_E_NOT_FOUND);
        assert_non_null(strstr(error.text, "the peer has no windows"));
    }
    pair_pause(&p);
    const tc_window_params params = {.memory = memory,
                                     .bytes = sizeof memory,
                                     .rights = TC_WINDOW_READ,
                                     .peer = p.target->core.first};
    assert_ok(tc_window_open(p.target, &params, &at, &error));
    pair_resume(&p);
    must(tc_window_get(p.ep, at, &got, 8, PAIR_TIMEOUT_NS, &error), &error, "get");
    assert_true(got == 42);
    pair_close(&p);
}

/* Windows are the program's, not code of peers: rules about code do not concern them. */
TEST(rules_about_code_leave_windows_alone)
{
    char list[] = "@/tmp/tc_window_allow_XXXXXX"; /* empty: no code is allowed */
    const char *const options[] = {"code_allow", list, NULL};
    window_pair w;
    uint64_t got = 1;
    tc_error error = {0};
    const int fd = mkstemp(list + 1);
    assert_true(fd >= 0);
    (void)close(fd);
    window_pair_open(&w, options);
    must(tc_window_get(w.p.ep, w.at, &got, 8, PAIR_TIMEOUT_NS, &error), &error, "get");
    assert_true(got == 0);
    window_pair_close(&w);
    (void)unlink(list + 1);
}

#define UNDER_WAY 3u

static void start_some(tc_ep *ep, tc_gptr at, window_record *records, uint64_t *results)
{
    for (unsigned i = 0; i < UNDER_WAY; i++) {
        const tc_window_start_params params = {PAIR_TIMEOUT_NS, window_record_note,
                                               &records[i]};
        results[i] = 77;
        assert_ok(tc_window_get_start(ep, at, &results[i], 8, &params, NULL));
    }
}

static void expect_ended(const window_record *records, const uint64_t *results,
                         tc_status status)
{
    for (unsigned i = 0; i < UNDER_WAY; i++) {
        assert_int_equal(records[i].calls, 1);
        assert_status(records[i].status, status);
        assert_true(records[i].text[0] != '\0');
        assert_int_equal(records[i].succeeded, 0);
        assert_true(results[i] == 77);
    }
}

TEST(a_context_that_ends_ends_what_is_under_way)
{
    window_pair w;
    window_record records[UNDER_WAY] = {{0}};
    uint64_t results[UNDER_WAY];
    window_pair_open(&w, NULL);
    pair_pause(&w.p);
    start_some(w.p.ep, w.at, records, results);
    assert_true(tc_context_finish(w.p.source, 1, NULL, NULL) < 0); /* the owner pauses */
    expect_ended(records, results, TC_E_CLOSED);
    pair_resume(&w.p);
    server_stop(&w.p.server);
    tc_context_destroy(w.p.target);
    free(w.memory);
}

TEST(a_deadline_ends_what_is_under_way)
{
    window_pair w;
    uint64_t got = 77;
    window_pair_open(&w, NULL);
    pair_pause(&w.p);
    assert_status(tc_window_get(w.p.ep, w.at, &got, 8, TC_MILLISECONDS(1), NULL), TC_E_TIMEOUT);
    pair_resume(&w.p);
    assert_true(got == 77); /* an answer that comes later finds no call */
    assert_ok(tc_window_get(w.p.ep, w.at, &got, 8, PAIR_TIMEOUT_NS, NULL));
    assert_true(got == 0);
    window_pair_close(&w);
}

/* --- another process ---------------------------------------------------------------------- */

typedef struct owner_report {
    uint16_t port;
    tc_gptr at;
} owner_report;

/* The child: an owner that serves until it is killed, or its parent is gone. */
static _Noreturn void be_owner(int fd, const char *identity)
{
    static uint64_t memory[8] = {42};
    tc_context *ctx;
    tc_listener *listener;
    owner_report report;
    const tc_window_params params = {.memory = memory,
                                     .bytes = sizeof memory,
                                     .rights = TC_WINDOW_READ,
                                     .identity = identity};
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (tc_context_create(NULL, &ctx, NULL) != TC_OK ||
        tc_listener_open(ctx, "127.0.0.1:0", &listener, NULL) != TC_OK ||
        tc_window_open(ctx, &params, &report.at, NULL) != TC_OK)
        _exit(1);
    report.port = tc_listener_port(listener);
    if (write(fd, &report, sizeof report) != (ssize_t)sizeof report)
        _exit(1);
    (void)tc_serve(ctx, NULL);
    _exit(1);
}

/* The identity that peers of this test prove. */
static void own_identity(char identity[256])
{
    pair p;
    pair_open(&p, NULL);
    pair_pause(&p);
    (void)snprintf(identity, 256, "%s", p.target->core.first->peer.identity);
    pair_resume(&p);
    pair_close(&p);
}

static pid_t start_owner(const char *identity, owner_report *report)
{
    int fds[2];
    assert_int_equal(pipe(fds), 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        be_owner(fds[1], identity);
    (void)close(fds[1]);
    const ssize_t n = read(fds[0], report, sizeof *report);
    (void)close(fds[0]);
    assert_int_equal(n, sizeof *report);
    return child;
}

TEST(an_owner_that_dies_ends_what_is_under_way)
{
    char identity[256], host_port[32];
    owner_report report;
    window_record records[UNDER_WAY] = {{0}};
    uint64_t results[UNDER_WAY], got = 0;
    tc_error error = {0};
    tc_ep *ep;
    own_identity(identity);
    if (identity[0] == '\0')
        skip(); /* on this way no peer proves one */
    const pid_t child = start_owner(identity, &report);
    tc_context *ctx = test_context(NULL);
    (void)snprintf(host_port, sizeof host_port, "127.0.0.1:%u", report.port);
    must(tc_ep_connect(ctx, host_port, PAIR_TIMEOUT_NS, &ep, &error), &error, "connect");
    must(tc_window_get(ep, report.at, &got, 8, PAIR_TIMEOUT_NS, &error), &error, "get");
    assert_true(got == 42);
    assert_int_equal(kill(child, SIGSTOP), 0);
    start_some(ep, report.at, records, results);
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_ok(tc_calls_wait(ctx, PAIR_TIMEOUT_NS));
    expect_ended(records, results, TC_E_PEER_LOST);
    assert_status(tc_window_get(ep, report.at, &got, 8, PAIR_TIMEOUT_NS, &error),
                  TC_E_PEER_LOST);
    tc_context_destroy(ctx);
}
