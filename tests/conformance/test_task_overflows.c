/* Functions that may wait and use all of their stack, in frames of random sizes, at random
 * depths, in their first run or after a wait: the process ends with a line that names the
 * function and its sender. TASK_OVERFLOWS is the number of processes. */
#include "../shipped/patient.h"
#include "../support/pair.h"
#include "../support/require.h"
#include "../support/test.h"

#include <regex.h>
#include <signal.h>
#include <sys/wait.h>
#include <tc/crash.h>
#include <tc/thread.h>
#include <unistd.h>

#define LINE                                                                                   \
    "(^|\n)a program: SIGSEGV.*; running: function 'patient' [0-9a-f]{32} from "               \
    "127\\.0\\.0\\.1:[0-9]+, process [0-9]+; its stack is full"

static uint64_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

/* Frames of some hundred bytes, of some pages, or larger than the stack. */
static patient_order order_of(uint64_t number)
{
    uint64_t random = number * 2654435761u + 1;
    const unsigned doubled = 6 + (unsigned)(next_random(&random) % 16);
    return (patient_order){.kind = PATIENT_DIVE,
                           .depth = (1u << doubled) + (uint32_t)(next_random(&random) % 4096),
                           .ns = next_random(&random)};
}

/* One thread makes all turns, as it has the stack for signals; or the target serves itself. */
static _Noreturn void overflow(uint64_t number, bool is_served)
{
    pair p;
    const patient_order order = order_of(number);
    (void)alarm(100);
    (void)signal(SIGSEGV, SIG_DFL); /* cmocka's own */
    tc_crash_line_install("a program", NULL, NULL);
    pair_open(&p, NULL);
    pair_pause(&p);
    if (is_served) {
        server_stop(&p.server);
        REQUIRE(tc_context_start_thread(p.target, NULL, NULL) == TC_OK);
    }
    REQUIRE(pair_send(p.ep, pair_ifunc(&p, "patient"), &order, sizeof order) == TC_OK);
    for (;;) {
        if (!is_served)
            (void)tc_progress(p.target);
        (void)tc_progress(p.source);
    }
}

static size_t read_all(int fd, char *text, size_t size)
{
    size_t length = 0;
    ssize_t got;
    while ((got = read(fd, text + length, size - 1 - length)) > 0)
        length += (size_t)got;
    text[length] = '\0';
    (void)close(fd);
    return length;
}

static bool has_line(const char *said)
{
    regex_t compiled;
    assert_int_equal(regcomp(&compiled, LINE, REG_EXTENDED | REG_NOSUB), 0);
    const bool found = regexec(&compiled, said, 0, NULL, 0) == 0;
    regfree(&compiled);
    return found;
}

/* Returns whether the process has left its line. */
static bool watch(uint64_t number, bool is_served)
{
    static char said[16384];
    int fds[2], status;
    assert_int_equal(pipe(fds), 0);
    const pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        (void)dup2(fds[1], STDERR_FILENO);
        (void)close(fds[0]);
        (void)close(fds[1]);
        overflow(number, is_served);
    }
    (void)close(fds[1]);
    (void)read_all(fds[0], said, sizeof said);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
    if (has_line(said))
        return true;
    print_message("overflow %llu, frames up to %u bytes: no line in: %s\n",
                  (unsigned long long)number, order_of(number).depth, said);
    return false;
}

TEST(an_overflow_names_function_and_sender)
{
    const char *text = getenv("TASK_OVERFLOWS");
    const uint64_t count = text != NULL ? strtoull(text, NULL, 10) : 10;
    uint64_t named = 0;
    skip_if_emulated("it handles the signals of faults itself");
    if (TCI_SANITIZED)
        skip(); /* it has a handler of its own */
    for (uint64_t number = 0; number < count; number++)
        named += watch(number, false);
    print_message("%llu of %llu overflows have their line\n", (unsigned long long)named,
                  (unsigned long long)count);
    assert_true(named * 100 >= count * 99);
}

TEST(an_overflow_in_a_context_that_serves_itself)
{
    skip_if_emulated("it handles the signals of faults itself");
    if (TCI_SANITIZED)
        skip();
    for (uint64_t number = 0; number < 3; number++)
        assert_true(watch(number, true));
}
