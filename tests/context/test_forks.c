/* Forks of a process that has a context: the child leaves it alone, and does not hold its
 * connections. */
#include "../support/require.h"
#include "../support/test.h"
#include "../support/test_context.h"
#include "base/clock.h"

#include <signal.h>
#include <sys/wait.h>
#include <tc/endpoint.h>
#include <tc/thread.h>
#include <unistd.h>

#define DEADLINE_NS 60000000000ull

static void hear(void *user, tc_ep *ep, tc_ep_event event)
{
    unsigned *events = user;
    (void)ep;
    events[event]++;
}

static void wait_for_event(tc_context *ctx, const unsigned *events, tc_ep_event event)
{
    uint64_t deadline_ns = tci_deadline_after(DEADLINE_NS);
    while (events[event] == 0) {
        assert_int_not_equal(tc_wait(ctx, 10000000), TC_E_BUSY);
        if (tci_deadline_left_ns(deadline_ns) == 0)
            fail_msg("no event %d in time", (int)event);
    }
}

/* --- the child's ------------------------------------------------------------------------- */

TEST(a_child_leaves_its_parents_context_alone)
{
    tc_context *ctx = test_context(NULL), *own = test_context(NULL);
    tc_listener *listener;
    tc_error error = {0};
    must(tc_listener_open(ctx, "127.0.0.1:0", &listener, &error), &error, "listener");
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        tc_context *childs;
        REQUIRE(tc_wait(ctx, 0) == TC_E_BUSY);
        REQUIRE(tc_progress(ctx) == 0);
        tc_context_destroy(ctx);
        tc_context_destroy(own);
        REQUIRE(tc_context_finish(own, 0, NULL, &error) == TC_E_BUSY);
        REQUIRE(strstr(error.text, "in a fork") != NULL);
        REQUIRE(tc_context_create(NULL, &childs, NULL) == TC_OK);
        REQUIRE(tc_wait(childs, 1000000) == TC_E_TIMEOUT);
        tc_context_destroy(childs);
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_status(tc_wait(ctx, 1000000), TC_E_TIMEOUT);
    tc_context_destroy(own);
    tc_context_destroy(ctx);
}

/* The serving thread is not in the child, and may have held the lock when it was forked. */
TEST(a_child_cannot_use_what_its_parents_thread_serves)
{
    tc_context *ctx = test_context(NULL);
    tc_error error = {0};
    must(tc_context_start_thread(ctx, NULL, &error), &error, "thread");
    for (unsigned i = 0; i < 10; i++) {
        int status;
        bool held = i % 2 == 0;
        if (held)
            must(tc_context_lock(ctx, DEADLINE_NS, &error), &error, "lock");
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            REQUIRE(tc_context_lock(ctx, DEADLINE_NS, &error) == TC_E_BUSY);
            REQUIRE(strstr(error.text, "in a fork") != NULL);
            REQUIRE(tc_context_stop_thread(ctx, &error) == TC_E_BUSY);
            REQUIRE(tc_context_start_thread(ctx, NULL, &error) == TC_E_BUSY);
            REQUIRE(tc_progress(ctx) == 0);
            REQUIRE(tc_wait(ctx, DEADLINE_NS) == TC_E_BUSY);
            tc_context_unlock(ctx);
            tc_context_destroy(ctx);
            _exit(0);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
        if (held)
            tc_context_unlock(ctx);
    }
    tc_context_destroy(ctx);
}

/* --- holders of connections -------------------------------------------------------------- */

/* Connects to the given port, forks, prints the child's id, and stays; so does the child. */
static void connect_and_fork(int told, int says)
{
    char address[32];
    uint16_t port;
    tc_context *ctx;
    tc_ep *ep;
    REQUIRE(read(told, &port, sizeof port) == sizeof port);
    (void)snprintf(address, sizeof address, "127.0.0.1:%u", port);
    REQUIRE(tc_context_create(NULL, &ctx, NULL) == TC_OK);
    REQUIRE(tc_ep_connect(ctx, address, DEADLINE_NS, &ep, NULL) == TC_OK);
    pid_t child = fork();
    REQUIRE(child >= 0);
    if (child > 0)
        REQUIRE(write(says, &child, sizeof child) == sizeof child);
    for (;;)
        (void)pause();
}

TEST(a_child_does_not_keep_the_connections_of_its_parent)
{
    int told[2], says[2];
    unsigned events[4] = {0};
    tc_listener *listener;
    tc_error error = {0};
    pid_t grandchild;
    assert_int_equal(pipe(told) | pipe(says), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        connect_and_fork(told[0], says[1]);
    tc_context *ctx = test_context(NULL);
    tc_context_set_ep_callback(ctx, hear, events);
    must(tc_listener_open(ctx, "127.0.0.1:0", &listener, &error), &error, "listener");
    const uint16_t port = tc_listener_port(listener);
    assert_int_equal(write(told[1], &port, sizeof port), sizeof port);
    wait_for_event(ctx, events, TC_EP_OPENED);
    assert_int_equal(read(says[0], &grandchild, sizeof grandchild), sizeof grandchild);
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
    wait_for_event(ctx, events, TC_EP_FAILED);
    assert_int_equal(kill(grandchild, SIGKILL), 0); /* it was there all the time */
    tc_context_destroy(ctx);
    for (int i = 0; i < 2; i++) {
        (void)close(told[i]);
        (void)close(says[i]);
    }
}
