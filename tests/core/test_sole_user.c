/* Two threads inside one context: where threads are checked, the process ends and names them;
 * contexts that go from one thread to another are permitted. */
#include "../support/require.h"
#include "../support/test.h"
#include "context/context_object.h"
#include "core/sole_user.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <tc/context.h>
#include <tc/options.h>
#include <tc/thread.h>
#include <unistd.h>

#define SAID_MAX 4096
#define TURNS 20000

static void *enter_and_leave(void *arg)
{
    tci_sole_user_leave(arg, tci_sole_user_enter(arg, "tc_send"));
    return NULL;
}

static void in_another_thread(void *(*run)(void *), void *arg)
{
    pthread_t thread;
    REQUIRE(pthread_create(&thread, NULL, run, arg) == 0);
    REQUIRE(pthread_join(thread, NULL) == 0);
}

TEST(threads_may_take_turns_and_calls_nest)
{
    tci_core *core = calloc(1, sizeof *core);
    core->checks_users = true;
    bool outer = tci_sole_user_enter(core, "tc_wait");
    bool inner = tci_sole_user_enter(core, "tc_progress");
    assert_true(outer);
    assert_false(inner);
    tci_sole_user_leave(core, inner);
    assert_string_equal(core->user_call, "tc_wait");
    tci_sole_user_leave(core, outer);
    in_another_thread(enter_and_leave, core);
    assert_int_equal(core->user, 0);
    free(core);
}

/* --- the output of a child that has to end
 * ---------------------------------------------------- */

static void read_all(int fd, char said[SAID_MAX])
{
    size_t size = 0;
    ssize_t n;
    while (size < SAID_MAX - 1 && (n = read(fd, said + size, SAID_MAX - 1 - size)) > 0)
        size += (size_t)n;
    said[size] = '\0';
}

/* Returns how it ended, as waitpid has it. */
static int run_child(void (*run)(void), char said[SAID_MAX])
{
    int ends[2], status = 0;
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        (void)dup2(ends[1], STDERR_FILENO);
        (void)close(ends[0]);
        (void)close(ends[1]);
        (void)signal(SIGABRT, SIG_DFL);
        (void)alarm(60);
        run();
        _exit(0);
    }
    (void)close(ends[1]);
    read_all(ends[0], said);
    (void)close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void expect_report(int status, const char *said, const char *one, const char *other)
{
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGABRT);
    if (strstr(said, "two threads use one context at the same time: thread ") == NULL ||
        strstr(said, one) == NULL || strstr(said, other) == NULL)
        fail_msg("\"%s\" and \"%s\" are not both in \"%s\"", one, other, said);
}

static tc_context *checked_context(const char *choice)
{
    tc_options *options;
    tc_context *ctx;
    tc_error error;
    REQUIRE(tc_options_create(&options, &error) == TC_OK);
    REQUIRE(tc_options_set(options, "check_threads", choice, &error) == TC_OK);
    REQUIRE(tc_context_create(options, &ctx, &error) == TC_OK);
    tc_options_destroy(options);
    return ctx;
}

static void *progress_as_other(void *arg)
{
    (void)pthread_setname_np(pthread_self(), "other");
    (void)tc_progress(arg);
    return NULL;
}

static void use_while_another_is_inside(void)
{
    tc_context *ctx = checked_context("yes");
    (void)tci_sole_user_enter(&ctx->core, "tc_wait");
    (void)pthread_setname_np(pthread_self(), "first");
    in_another_thread(progress_as_other, ctx);
}

TEST(the_line_names_both_threads_and_calls)
{
    char said[SAID_MAX];
    int status = run_child(use_while_another_is_inside, said);
    expect_report(status, said, "(first) is in tc_wait", "(other) has called tc_progress");
}

/* --- programs ---------------------------------------------------------------------------- */

static void *progress_without_end(void *arg)
{
    for (;;)
        (void)tc_progress(arg);
    return NULL;
}

static void two_threads_progress(void)
{
    tc_context *ctx = checked_context("yes");
    pthread_t thread;
    REQUIRE(pthread_create(&thread, NULL, progress_without_end, ctx) == 0);
    (void)progress_without_end(ctx);
}

static void skip_where_races_are_watched(void)
{
    if (TCI_RACES_WATCHED) {
        print_message("skipped: the race is meant, and ThreadSanitizer reports it\n");
        skip();
    }
}

TEST(two_threads_in_a_loop_are_found)
{
    char said[SAID_MAX];
    skip_where_races_are_watched();
    int status = run_child(two_threads_progress, said);
    expect_report(status, said, " is in ", "has called tc_progress");
}

static void *wait_for_long(void *arg)
{
    (void)!tc_wait(arg, TC_SECONDS(50));
    return NULL;
}

/* The other thread sleeps: it is inside all the time. */
static void one_waits_and_another_progresses(void)
{
    tc_context *ctx = checked_context("yes");
    pthread_t thread;
    REQUIRE(pthread_create(&thread, NULL, wait_for_long, ctx) == 0);
    while (__atomic_load_n(&ctx->core.user, __ATOMIC_RELAXED) == 0)
        (void)poll(NULL, 0, 1);
    (void)tc_progress(ctx);
}

TEST(a_call_that_waits_is_inside)
{
    char said[SAID_MAX];
    skip_where_races_are_watched();
    int status = run_child(one_waits_and_another_progresses, said);
    expect_report(status, said, "is in tc_wait", "has called tc_progress");
}

/* --- permitted uses --------------------------------------------------------------------- */

typedef struct baton {
    tc_context *ctx;
    pthread_mutex_t lock;
} baton;

static void *progress_in_turns(void *arg)
{
    baton *b = arg;
    for (int i = 0; i < TURNS; i++) {
        (void)pthread_mutex_lock(&b->lock);
        (void)tc_progress(b->ctx);
        (void)pthread_mutex_unlock(&b->lock);
    }
    return NULL;
}

TEST(a_context_may_go_from_thread_to_thread)
{
    baton b = {.ctx = checked_context("yes"), .lock = PTHREAD_MUTEX_INITIALIZER};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, progress_in_turns, &b), 0);
    (void)progress_in_turns(&b);
    assert_int_equal(pthread_join(thread, NULL), 0);
    tc_context_destroy(b.ctx);
}

static void *wait_as_guest(void *arg)
{
    tc_context *ctx = arg;
    for (int i = 0; i < 50; i++) {
        REQUIRE(tc_context_lock(ctx, TC_SECONDS(60), NULL) == TC_OK);
        (void)tc_progress(ctx);
        (void)!tc_wait(ctx, TC_MILLISECONDS(1));
        tc_context_unlock(ctx);
    }
    return NULL;
}

TEST(guests_of_a_served_context_are_right)
{
    tc_context *ctx = checked_context("yes");
    pthread_t threads[2];
    assert_ok(tc_context_start_thread(ctx, NULL, NULL));
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, wait_as_guest, ctx), 0);
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    tc_context_destroy(ctx);
}

TEST(the_option_decides)
{
    tc_context *ctx = checked_context("no");
    assert_false(ctx->core.checks_users);
    assert_false(tci_pending_has(&ctx->core.pending, TCI_CHECKED));
    tc_context_destroy(ctx);
    ctx = checked_context("auto");
#ifndef NDEBUG
    assert_true(ctx->core.checks_users);
#else
    assert_false(ctx->core.checks_users);
#endif
    tc_context_destroy(ctx);
    assert_int_equal(setenv("TC_RUN_SOCKET", "@none", 1), 0); /* as under tc-run */
    ctx = checked_context("auto");
    assert_true(ctx->core.checks_users);
    tc_context_destroy(ctx);
    assert_int_equal(unsetenv("TC_RUN_SOCKET"), 0);
}
