/* Two threads inside one context: where assertions are on, the process ends and says why. */
#include "../support/require.h"
#include "../support/test.h"
#include "core/sole_user.h"

#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static void *enter_and_leave(void *arg)
{
    tci_sole_user_leave(arg, tci_sole_user_enter(arg));
    return NULL;
}

static void in_another_thread(tci_core *core)
{
    pthread_t thread;
    REQUIRE(pthread_create(&thread, NULL, enter_and_leave, core) == 0);
    REQUIRE(pthread_join(thread, NULL) == 0);
}

static void threads_may_take_turns_and_calls_nest(void **state)
{
    tci_core *core = calloc(1, sizeof *core);
    bool outer = tci_sole_user_enter(core), inner = tci_sole_user_enter(core);
    assert_false(inner);
    tci_sole_user_leave(core, inner);
    tci_sole_user_leave(core, outer);
    in_another_thread(core);
    assert_int_equal(core->user, 0);
    free(core);
}

static void two_at_a_time_end_the_process(void **state)
{
#ifdef NDEBUG
    skip();
#else
    int status = 0;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        tci_core *core = calloc(1, sizeof *core);
        (void)signal(SIGABRT, SIG_DFL);
        (void)tci_sole_user_enter(core);
        in_another_thread(core);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGABRT);
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_may_take_turns_and_calls_nest),
        cmocka_unit_test(two_at_a_time_end_the_process),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
