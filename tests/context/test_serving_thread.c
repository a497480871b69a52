/* Mistakes with a context's thread and its lock, and their reports. */
#include "../support/test.h"
#include "../support/test_context.h"
#include "base/sanitized.h"

#include <pthread.h>
#include <sched.h>
#include <tc/advanced.h>
#include <tc/log.h>
#include <tc/status.h>
#include <tc/thread.h>

#define DEADLINE_NS TC_SECONDS(60)

static void expect_busy(tc_status status, const tc_error *error, const char *text)
{
    assert_status(status, TC_E_BUSY);
    if (strstr(error->text, text) == NULL)
        fail_msg("\"%s\" is not in \"%s\"", text, error->text);
}

TEST(mistakes_have_a_text)
{
    const int never = 0;
    tc_error error = {0};
    tc_context *ctx = test_context(NULL);
    tc_context_unlock(ctx); /* only logged */
    must(tc_context_lock(ctx, DEADLINE_NS, &error), &error, "lock");
    expect_busy(tc_context_lock(ctx, 0, &error), &error, "holds it already");
    tc_thread_params params = {.name = "longer than Linux has them"};
    assert_status(tc_context_start_thread(ctx, &params, &error), TC_E_INVALID);
    assert_non_null(strstr(error.text, "longer than 15 bytes"));
    params = (tc_thread_params){.pinned = 1, .cpu = 1000000};
    assert_status(tc_context_start_thread(ctx, &params, &error), TC_E_INVALID);
    assert_non_null(strstr(error.text, "cpu 1000000, expected less than"));
    params.cpu = CPU_SETSIZE - 1;
    assert_status(tc_context_start_thread(ctx, &params, &error), TC_E_INVALID);
    assert_non_null(strstr(error.text, "none that this process may run on"));
    must(tc_context_start_thread(ctx, NULL, &error), &error, "thread");
    expect_busy(tc_context_start_thread(ctx, NULL, &error), &error, "already");
    assert_status(tc_serve(ctx, &never), TC_E_BUSY);
    assert_status(tc_context_arm(ctx), TC_E_BUSY);
    tc_context_unlock(ctx);
    must(tc_context_stop_thread(ctx, &error), &error, "stop");
    must(tc_context_stop_thread(ctx, &error), &error, "there is none");
    assert_status(tc_wait(ctx, 0), TC_E_TIMEOUT);
    tc_context_destroy(ctx);
}

static void count_line(void *user, tc_log_level level, const char *line)
{
    unsigned *lines = user;
    *lines += level == TC_LOG_ERROR && strstr(line, "without tc_context_lock") != NULL;
}

TEST(use_without_the_lock_is_logged_within_a_ration)
{
    if (TCI_RACES_WATCHED) {
        print_message("skipped: the race is meant, and ThreadSanitizer reports it\n");
        skip();
    }
    unsigned lines = 0;
    tc_error error = {0};
    tc_context *ctx = test_context(NULL);
    const tc_log_level before = tc_log_get_level();
    must(tc_context_start_thread(ctx, NULL, &error), &error, "thread");
    tc_log_set_level(TC_LOG_ERROR);
    tc_log_set_sink(count_line, &lines);
    for (unsigned i = 0; i < 10000; i++)
        assert_status(tc_wait(ctx, 0), TC_E_BUSY);
    tc_log_set_sink(NULL, NULL);
    tc_log_set_level(before);
    assert_true(lines > 0);
    assert_true(lines < 1000); /* ten a second */
    tc_context_destroy(ctx);
}

static void *take_and_wait(void *arg)
{
    tc_context *ctx = arg;
    tc_error error = {0};
    tc_status status = tc_context_lock(ctx, TC_MILLISECONDS(20), &error);
    return status == TC_E_TIMEOUT && strstr(error.text, "all the time") != NULL ? arg : NULL;
}

TEST(a_lock_that_is_held_is_not_waited_for_beyond_the_deadline)
{
    pthread_t thread;
    void *as_expected;
    tc_error error = {0};
    tc_context *ctx = test_context(NULL);
    must(tc_context_start_thread(ctx, NULL, &error), &error, "thread");
    must(tc_context_lock(ctx, DEADLINE_NS, &error), &error, "lock");
    assert_int_equal(pthread_create(&thread, NULL, take_and_wait, ctx), 0);
    assert_int_equal(pthread_join(thread, &as_expected), 0);
    assert_ptr_equal(as_expected, ctx);
    tc_context_unlock(ctx);
    tc_context_destroy(ctx);
}
