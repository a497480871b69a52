/* A compromised compiler behind its walls: it can do no harm to this process, to files, or to
 * the network. hostile_engine.c is that compiler. */
#include "../support/test.h"
#include "base/clock.h"
#include "engine/child/compile_wall.h"
#include "engine/child/compiler_process.h"
#include "engine/engine_module.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

static const tci_engine_ops *ops, *ops_of_old_kernel;
static tci_engine *engine;
static volatile sig_atomic_t signals;

/* How an attempt ends. */
typedef enum outcome {
    GOT_THROUGH,
    REFUSED, /* with an errno */
    ENDED,   /* by the kernel */
    ABORTED,
    OTHER
} outcome;

static void on_signal(int signal)
{
    (void)signal;
    signals++;
}

static tci_compiler *start(const tci_engine_ops *module, tci_wall_choice wall, bool in_thread)
{
    tci_compiler *c;
    const tci_compiler_opts opts = {
        .ops = module, .time_max_ns = 60 * TCI_NS_PER_S, .in_thread = in_thread, .wall = wall};
    assert_ok(tci_compiler_start(&opts, &c, NULL));
    return c;
}

static tc_status attempt(tci_compiler *c, const char *what, tc_error *err)
{
    tci_object object;
    const tci_engine_code code = {.name = what, .bytes = "BC", .size = 2};
    tc_status status = tci_compiler_compile(c, engine, &code, &object, err);
    if (status == TC_OK)
        free(object.bytes);
    return status;
}

static outcome outcome_of(tci_compiler *c, const char *what)
{
    tc_error err = {0};
    if (attempt(c, what, &err) == TC_OK)
        return GOT_THROUGH;
    print_message("%s: %s\n", what, err.text);
    if (strstr(err.text, "refused: ") != NULL)
        return REFUSED;
    if (strstr(err.text, "ended by signal 31") != NULL)
        return ENDED;
    return strstr(err.text, "ended by signal 6") != NULL ? ABORTED : OTHER;
}

static bool kernel_has_filter(void)
{
    uint32_t action = SECCOMP_RET_KILL_PROCESS;
    return !TCI_SANITIZED && syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

static bool kernel_has_landlock(void)
{
    return syscall(444, NULL, (size_t)0, 1u) >= 1;
}

/* --- the tests ---------------------------------------------------------------------------- */

TEST(all_walls_that_the_kernel_has_stand)
{
    tci_compiler *c = start(ops, TCI_CHOICE_WALL_AUTO, false);
    assert_int_equal(tci_compiler_wall(c), 0);
    assert_int_equal(outcome_of(c, "nothing"), GOT_THROUGH);
    uint32_t expected = TCI_WALL_PRIVILEGES | TCI_WALL_DUMP | TCI_WALL_DESCRIPTORS;
    if (kernel_has_filter())
        expected |= TCI_WALL_SYSTEM_CALLS;
    if (kernel_has_landlock())
        expected |= TCI_WALL_LANDLOCK;
    assert_int_equal(tci_compiler_wall(c), expected);
    tci_compiler_end(c);
}

static const struct {
    const char *what;
    outcome outcome;
} attempts[] = {
    {"open", REFUSED},
    {"openat2", ENDED},
    {"create", REFUSED},
    {"unlink", ENDED},
    {"socket", ENDED},
    {"unix_socket", ENDED},
    {"execve", ENDED},
    {"fork", ENDED},
    {"clone3", ENDED},
    {"mmap_exec", ENDED},
    {"mprotect_exec", ENDED},
    {"mprotect_exec_wide", ENDED},
    {"map_descriptor", ENDED},
    {"ptrace", ENDED},
    {"write_memory", ENDED},
    {"kill", ENDED},
    {"tgkill", ENDED},
    {"other_signal", ENDED},
    {"pidfd_signal", ENDED},
    {"pidfd_getfd", ENDED},
    {"write_other", REFUSED},
    {"write_socket", REFUSED},
    {"read_other", REFUSED},
    {"send_other", ENDED},
    {"send_descriptor", ENDED},
    {"memfd", ENDED},
    {"shmget", ENDED},
    {"io_uring", ENDED},
    {"bpf", ENDED},
    {"unshare", ENDED},
    {"keyctl", ENDED},
    {"dumpable", REFUSED},
    {"limit", REFUSED},
    {"truncate", ENDED},
    {"other_numbers", ENDED},
    {"abort", ABORTED},
};

TEST(nothing_gets_through)
{
    if (!kernel_has_filter())
        skip();
    tci_compiler *c = start(ops, TCI_CHOICE_WALL_YES, false);
    for (size_t i = 0; i < sizeof attempts / sizeof attempts[0]; i++) {
        outcome found = outcome_of(c, attempts[i].what);
        if (found != attempts[i].outcome)
            fail_msg("%s: outcome %d, expected %d", attempts[i].what, (int)found,
                     (int)attempts[i].outcome);
        assert_int_equal(outcome_of(c, "nothing"), GOT_THROUGH); /* the next one is fine */
    }
    tci_compiler_end(c);
    assert_int_equal(signals, 0);
}

/* Protection by the other walls without the filter. */
TEST(files_and_sockets_need_no_filter)
{
    static const char *const whats[] = {"open", "create", "socket", "unix_socket", "memfd"};
    tci_compiler *c =
        start(TCI_SANITIZED ? ops : ops_of_old_kernel, TCI_CHOICE_WALL_AUTO, false);
    for (size_t i = 0; i < sizeof whats / sizeof whats[0]; i++)
        assert_int_equal(outcome_of(c, whats[i]), REFUSED);
    tci_compiler_end(c);
}

/* So that the tests above mean something. */
TEST(without_walls_much_gets_through)
{
    static const char *const whats[] = {"fork",         "mmap_exec", "mprotect_exec",
                                        "pidfd_signal", "kill",      "shmget"};
    tci_compiler *c = start(ops, TCI_CHOICE_WALL_NO, false);
    for (size_t i = 0; i < sizeof whats / sizeof whats[0]; i++)
        assert_int_equal(outcome_of(c, whats[i]), GOT_THROUGH);
    assert_int_equal(signals, 2);
    assert_int_equal(tci_compiler_wall(c), TCI_WALL_DESCRIPTORS);
    tci_compiler_end(c);
    signals = 0;
}

/* Descriptors that anybody may inherit, and variables. */
TEST(it_inherits_nothing_of_ours)
{
    int low = dup(1), high = fcntl(1, F_DUPFD, 200);
    assert_true(low > 0 && high >= 200);
    assert_int_equal(setenv("TC_GROUP_SECRET", "a secret", 1), 0);
    assert_int_equal(setenv("TOKEN", "another secret", 1), 0);
    tci_compiler *c = start(ops, TCI_CHOICE_WALL_AUTO, false);
    if (!TCI_SANITIZED) /* which keep some */
        assert_int_equal(outcome_of(c, "descriptors"), GOT_THROUGH);
    assert_int_equal(outcome_of(c, "environment"), GOT_THROUGH);
    tci_compiler_end(c);
    close(low);
    close(high);
    unsetenv("TC_GROUP_SECRET");
    unsetenv("TOKEN");
}

static void expect_refused(tci_compiler *c, const char *part)
{
    tc_error err = {0};
    assert_status(attempt(c, "nothing", &err), TC_E_UNSUPPORTED);
    if (strstr(err.text, "compiler_wall") == NULL || strstr(err.text, part) == NULL)
        fail_msg("'%s' is not in '%s'", part, err.text);
    tci_compiler_end(c);
}

TEST(what_is_asked_for_and_not_there_is_named)
{
    expect_refused(start(ops_of_old_kernel, TCI_CHOICE_WALL_YES, false), "seccomp");
    expect_refused(start(ops_of_old_kernel, TCI_CHOICE_WALL_YES, false), "Landlock");
    expect_refused(start(ops, TCI_CHOICE_WALL_YES, true), "compiler=thread");
    tci_compiler *c = start(ops_of_old_kernel, TCI_CHOICE_WALL_AUTO, false);
    assert_int_equal(outcome_of(c, "nothing"), GOT_THROUGH);
    assert_int_equal(tci_compiler_wall(c),
                     TCI_WALL_PRIVILEGES | TCI_WALL_DUMP | TCI_WALL_DESCRIPTORS);
    tci_compiler_end(c);
}

static int set_up(void **state)
{
    tc_error err;
    if (tci_engine_module_open(TEST_HOSTILE_DIR, &ops, &err) != TC_OK ||
        tci_engine_module_open(TEST_HOSTILE_DIR "/old", &ops_of_old_kernel, &err) != TC_OK ||
        ops->create(NULL, &engine, &err) != TC_OK) {
        fprintf(stderr, "%s\n", err.text);
        return -1;
    }
    return signal(SIGUSR1, on_signal) == SIG_ERR ? -1 : 0;
}

int main(void)
{
    return test_run(set_up, NULL);
}
