#include "base/live_process.h"

#include "../support/test.h"

#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t start_child(void)
{
    pid_t pid = fork();
    if (pid == 0) {
        for (;;)
            pause();
    }
    assert_true(pid > 0);
    return pid;
}

static void wait_for_zombie(pid_t pid)
{
    siginfo_t info;
    assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
}

TEST(none_never_ends)
{
    const tci_live_process none = tci_live_process_find(0);
    assert_int_equal(none.pid, 0);
    assert_false(tci_live_process_has_ended(&none));
}

TEST(a_process_ends_before_anybody_waits_for_it)
{
    pid_t pid = start_child();
    const tci_live_process child = tci_live_process_find(pid);
    assert_true(child.started > 0);
    assert_false(tci_live_process_has_ended(&child));
    assert_int_equal(kill(pid, SIGKILL), 0);
    wait_for_zombie(pid);
    assert_true(tci_live_process_has_ended(&child));
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    assert_true(tci_live_process_has_ended(&child));
}

TEST(a_number_that_was_given_out_again_is_another_process)
{
    tci_live_process self = tci_live_process_find(getpid());
    assert_false(tci_live_process_has_ended(&self));
    self.started--;
    assert_true(tci_live_process_has_ended(&self));
}

/* --- no descriptors ---------------------------------------------------------------------- */

static struct rlimit before;

static void take_descriptors(void)
{
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    const struct rlimit none = {.rlim_cur = 0, .rlim_max = before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
}

static void give_descriptors_back(void)
{
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
}

TEST(without_descriptors_the_living_live_and_the_dead_are_found)
{
    pid_t pid = start_child();
    const tci_live_process child = tci_live_process_find(pid);
    take_descriptors();
    const tci_live_process late = tci_live_process_find(pid);
    bool ended = tci_live_process_has_ended(&child);
    bool late_ended = tci_live_process_has_ended(&late);
    (void)kill(pid, SIGKILL);
    (void)waitpid(pid, NULL, 0);
    bool found = tci_live_process_has_ended(&child) && tci_live_process_has_ended(&late);
    give_descriptors_back();
    assert_int_equal(late.started, 0);
    assert_false(ended);
    assert_false(late_ended);
    assert_true(found);
}

/* --- threads ----------------------------------------------------------------------------- */

static void *stay(void *arg)
{
    for (;;)
        pause();
    return arg;
}

TEST(a_process_lives_on_without_its_first_thread)
{
    pid_t pid = fork();
    if (pid == 0) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, stay, NULL) != 0)
            _exit(1);
        pthread_exit(NULL);
    }
    const tci_live_process child = tci_live_process_find(pid);
    char name[64];
    char text[512] = "";
    (void)snprintf(name, sizeof name, "/proc/%d/stat", (int)pid);
    while (strstr(text, ") Z ") == NULL) { /* until its first thread has ended */
        FILE *file = fopen(name, "re");
        assert_non_null(file);
        (void)!fgets(text, sizeof text, file);
        (void)fclose(file);
    }
    bool ended = tci_live_process_has_ended(&child);
    (void)kill(pid, SIGKILL);
    (void)waitpid(pid, NULL, 0);
    assert_false(ended);
    assert_true(tci_live_process_has_ended(&child));
}
