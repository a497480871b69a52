/* Tests that break an invariant (base/assertion.h) in a child process, which has to end with a
 * line that names it. */
#ifndef BROKEN_INVARIANT_H
#define BROKEN_INVARIANT_H

#include "base/assertion.h"
#include "test.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define BROKEN_DEADLINE_S 60 /* only ends a child that hangs */
#define BROKEN_TEXT_MAX 4096

/* The child: its standard error is the pipe, and it leaves no core. */
static _Noreturn void broken_child(int fd, void (*act)(void))
{
    const struct rlimit none = {0, 0};
    (void)setrlimit(RLIMIT_CORE, &none);
    (void)signal(SIGABRT, SIG_DFL);
    (void)alarm(BROKEN_DEADLINE_S);
    (void)dup2(fd, STDERR_FILENO);
    act();
    _exit(0);
}

static void broken_expect(const char *name, void (*act)(void))
{
    char text[BROKEN_TEXT_MAX] = "", wanted[128];
    size_t size = 0;
    int fds[2], status = 0;
    ssize_t n;
    if (!TCI_INVARIANTS) {
        print_message("skipped: this build checks no invariants\n");
        skip();
    }
    assert_int_equal(pipe(fds), 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        broken_child(fds[1], act);
    close(fds[1]);
    while (size < sizeof text - 1 &&
           (n = read(fds[0], text + size, sizeof text - 1 - size)) > 0)
        size += (size_t)n;
    close(fds[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    (void)snprintf(wanted, sizeof wanted, "the invariant %s does not hold: ", name);
    if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGABRT || strstr(text, wanted) == NULL)
        fail_msg("expected SIGABRT and \"%s\", found status 0x%x and \"%s\"", wanted,
                 (unsigned)status, text);
}

/* TEST_BROKEN(name) { ... } is a test whose body, run in a child, breaks that invariant. */
#define TEST_BROKEN(name)                                                                      \
    static void break_##name(void);                                                            \
    TEST(broken_##name)                                                                        \
    {                                                                                          \
        broken_expect(#name, break_##name);                                                    \
    }                                                                                          \
    static void break_##name(void)

#endif
