/* A program that dies of a peer's function: the line that it leaves, its receivers, and that it
 * dies as it would have died without. */
#include "../support/pair.h"
#include "../support/require.h"
#include "../support/test.h"

#include <errno.h>
#include <regex.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <tc/crash.h>
#include <unistd.h>

#define FORMER_STATUS 42
#define A_FUNCTION "function 'check' [0-9a-f]{32} from 127\\.0\\.0\\.1:[0-9]+, process [0-9]+"

typedef struct death {
    int status;
    char said[8192]; /* to standard error */
    char told[2048]; /* to the callback */
} death;

static char *told; /* in memory that both processes see */

static void on_told(void *user, const char *line)
{
    REQUIRE(user == &told);
    strncpy(told, line, sizeof((death *)0)->told - 1);
}

/* --- how to die --------------------------------------------------------------------------- */

/* check_main writes to its target arguments, which are NULL. */
static void in_a_function(void)
{
    uint8_t payload[64];
    pair p;
    pair_open(&p, NULL);
    pair_pause(&p);
    tc_context_set_target_args(p.target, NULL);
    pair_resume(&p);
    check_fill(payload, 0, sizeof payload);
    REQUIRE(pair_send(p.ep, pair_ifunc(&p, "check"), payload, sizeof payload) == TC_OK);
    pair_flush(p.ep);
}

static void in_the_program(void)
{
    int *volatile nowhere = (int *)8; /* which gcc refuses where it sees it at once */
    *nowhere = 1;
}

static void by_abort(void)
{
    abort();
}

static void by_a_signal_from_outside(void)
{
    (void)kill(getpid(), SIGFPE);
    for (;;)
        (void)pause();
}

/* Not a tail call, and a frame that is used. */
static unsigned fill_stack(volatile unsigned *above)
{
    volatile unsigned room[1024];
    room[0] = above != NULL ? *above + 1 : 0;
    return room[0] < 1u << 30 ? fill_stack(room) + room[0] : 0;
}

static void on_a_full_stack(void)
{
    (void)fill_stack(NULL);
}

/* --- the process that dies ---------------------------------------------------------------- */

static void former(int number)
{
    REQUIRE(errno == ENOTNAM);
    _exit(number == SIGSEGV || number == SIGABRT || number == SIGFPE ? FORMER_STATUS : 1);
}

static void die(void (*deed)(void), void (*before)(int))
{
    struct sigaction action = {.sa_handler = before};
    stack_t stack;
    (void)alarm(100);
    REQUIRE(sigaction(SIGSEGV, &action, NULL) == 0 && sigaction(SIGABRT, &action, NULL) == 0 &&
            sigaction(SIGFPE, &action, NULL) == 0);
    tc_crash_line_install("nobody", NULL, NULL);
    tc_crash_line_install("a program", on_told, &told);
    REQUIRE(sigaltstack(NULL, &stack) == 0 && (stack.ss_flags & SS_DISABLE) == 0);
    errno = ENOTNAM;
    deed();
    _exit(2); /* it lives */
}

static void read_all(int fd, char *text, size_t size)
{
    size_t length = 0;
    ssize_t got;
    while ((got = read(fd, text + length, size - 1 - length)) > 0)
        length += (size_t)got;
    text[length] = '\0';
    (void)close(fd);
}

/* The end of a process that runs the action. */
static void watch(death *d, void (*deed)(void), void (*before)(int))
{
    int fds[2];
    memset(told, 0, sizeof d->told);
    assert_int_equal(pipe(fds), 0);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        (void)dup2(fds[1], STDERR_FILENO);
        (void)close(fds[0]);
        (void)close(fds[1]);
        die(deed, before);
    }
    (void)close(fds[1]);
    read_all(fds[0], d->said, sizeof d->said);
    assert_int_equal(waitpid(pid, &d->status, 0), pid);
    memcpy(d->told, told, sizeof d->told);
}

static void expect_line(const death *d, const char *pattern)
{
    char line[1024];
    regex_t compiled;
    (void)snprintf(line, sizeof line, "(^|\n)a program: (%s)\n", pattern);
    assert_int_equal(regcomp(&compiled, line, REG_EXTENDED), 0);
    regmatch_t found[3];
    if (regexec(&compiled, d->said, 3, found, 0) != 0)
        fail_msg("no line '%s' in: %s", pattern, d->said);
    size_t length = (size_t)(found[2].rm_eo - found[2].rm_so);
    assert_int_equal(strlen(d->told), length);
    assert_memory_equal(d->told, d->said + found[2].rm_so, length);
    regfree(&compiled);
}

/* --- tests -------------------------------------------------------------------------------- */

TEST(the_function_and_its_sender_are_named)
{
    death d;
    watch(&d, in_a_function, SIG_DFL);
    expect_line(&d,
                "SIGSEGV in check[a-z_:]*\\+0x[0-9a-f]+ of [0-9a-f]{32}; running: " A_FUNCTION);
    assert_true(WIFSIGNALED(d.status) && WTERMSIG(d.status) == SIGSEGV);
}

/* The program's own handlers run as before, after the line. */
TEST(the_former_handler_comes_next)
{
    static const struct {
        void (*deed)(void);
        const char *line;
    } ways[] = {
        {in_the_program, "SIGSEGV; running: no function"},
        {by_abort, "SIGABRT; running: no function"},
        {by_a_signal_from_outside, "SIGFPE; running: no function"},
    };
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        death d;
        watch(&d, ways[i].deed, former);
        expect_line(&d, ways[i].line);
        assert_true(WIFEXITED(d.status) && WEXITSTATUS(d.status) == FORMER_STATUS);
    }
}

TEST(without_one_the_signal_ends_the_process)
{
    death d;
    watch(&d, by_abort, SIG_DFL);
    expect_line(&d, "SIGABRT; running: no function");
    assert_true(WIFSIGNALED(d.status) && WTERMSIG(d.status) == SIGABRT);
}

TEST(a_full_stack_has_its_line)
{
    death d;
    watch(&d, on_a_full_stack, SIG_DFL);
    expect_line(&d, "SIGSEGV; running: no function");
    assert_true(WIFSIGNALED(d.status) && WTERMSIG(d.status) == SIGSEGV);
}

int main(void)
{
    told = mmap(NULL, sizeof((death *)0)->told, PROT_READ | PROT_WRITE,
                MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return told == MAP_FAILED ? 1 : test_run(NULL, NULL);
}
