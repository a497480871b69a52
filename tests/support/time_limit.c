/* Runs a test with a time limit that counts the time that the machine gives it. time_limit
 *   SECONDS PROGRAM [ARGUMENT ...]
 *
 * A time limit is there to end a test that hangs. Beside other work the same test takes many
 * times as long, so the limit is counted in time that the test could use: now and then this
 * program computes for 20 ms of processor time, and the time by the clock that this takes,
 * divided by 20 ms, is how many programs share a processor. The time by the clock since the
 * last measurement counts divided by that. A test that ends sooner than the first measurement
 * costs nothing.
 *
 * The test is a process group. At its limit the group gets SIGINT, so that a script can print
 * its position and end its processes, and SIGKILL five seconds later. This program then ends
 * with status 124; otherwise with the test's status, or by the test's signal.
 *
 * With TC_TEST_TIMES=FILE in the environment each test appends a line to that file: seconds of
 * processor of the test and of all that it waited for, seconds by the clock, and the
 * command. */
#include <fcntl.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define GAUGE_S 0.020
#define STEP_MIN_S 2.0
#define STEP_MAX_S 15.0
#define KILLED_AFTER_S 5.0
#define PROBLEM 125 /* the status when no test could be started */
#define LIMIT_REACHED 124

static double clock_s(clockid_t id)
{
    struct timespec now;
    (void)clock_gettime(id, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* How many times as long as alone on a processor a computation takes now; at least 1. */
static double slowdown(void)
{
    const double begin = clock_s(CLOCK_MONOTONIC);
    const double cpu_begin = clock_s(CLOCK_PROCESS_CPUTIME_ID);
    double used;
    do
        used = clock_s(CLOCK_PROCESS_CPUTIME_ID) - cpu_begin;
    while (used < GAUGE_S);
    const double factor = (clock_s(CLOCK_MONOTONIC) - begin) / used;
    return factor < 1 ? 1 : factor;
}

/* Waits until the test ends, for so long at most, and hands signals that this program gets on
 * to the test. Returns whether it has ended, with its wait status. */
static bool wait_for(pid_t test, const sigset_t *signals, double seconds, int *status_out)
{
    const double end = clock_s(CLOCK_MONOTONIC) + seconds;
    for (;;) {
        if (waitpid(test, status_out, WNOHANG) == test)
            return true;
        const double left = end - clock_s(CLOCK_MONOTONIC);
        if (left <= 0)
            return false;
        const struct timespec timeout = {(time_t)left,
                                         (long)((left - (double)(time_t)left) * 1e9)};
        const int got = sigtimedwait(signals, NULL, &timeout);
        if (got > 0 && got != SIGCHLD)
            (void)kill(-test, got);
    }
}

static pid_t start(char *const *command, const sigset_t *mask)
{
    const pid_t test = fork();
    if (test != 0)
        return test;
    (void)setpgid(0, 0);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    (void)sigprocmask(SIG_SETMASK, mask, NULL);
    (void)execvp(command[0], command);
    (void)fprintf(stderr, "time_limit: %s: %s\n", command[0], strerror(errno));
    _exit(PROBLEM);
}

static int end_at_limit(pid_t test, const sigset_t *signals, double elapsed, double limit)
{
    int status;
    (void)fprintf(stderr, "time_limit: ended after %.0f s, which count as %.0f\n", elapsed,
                  limit);
    (void)kill(-test, SIGINT);
    if (!wait_for(test, signals, KILLED_AFTER_S, &status)) {
        (void)kill(-test, SIGKILL);
        (void)waitpid(test, &status, 0);
    }
    (void)kill(-test, SIGKILL); /* processes that the test has left behind */
    return LIMIT_REACHED;
}

static double seconds_of(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec * 1e-6;
}

/* Appends the line in one write: tests that end at the same time share the file. */
static void note_times(const char *file, double elapsed, char *const *command)
{
    struct rusage used;
    char line[4096];
    (void)getrusage(RUSAGE_CHILDREN, &used);
    int n = snprintf(line, sizeof line, "%.2f %.2f",
                     seconds_of(used.ru_utime) + seconds_of(used.ru_stime), elapsed);
    for (char *const *word = command; *word != NULL && (size_t)n < sizeof line; word++)
        n += snprintf(line + n, sizeof line - (size_t)n, " %s", *word);
    if ((size_t)n >= sizeof line)
        n = sizeof line - 1;
    line[n] = '\n';
    const int fd = open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (fd < 0 || write(fd, line, (size_t)n + 1) < 0)
        (void)fprintf(stderr, "time_limit: %s: %s\n", file, strerror(errno));
    if (fd >= 0)
        (void)close(fd);
}

static int end_as(int status)
{
    if (!WIFSIGNALED(status))
        return WEXITSTATUS(status);
    const struct rlimit no_core = {0, 0}; /* the test has written one, if any */
    sigset_t signals;
    (void)setrlimit(RLIMIT_CORE, &no_core);
    (void)signal(WTERMSIG(status), SIG_DFL);
    (void)sigemptyset(&signals);
    (void)sigprocmask(SIG_SETMASK, &signals, NULL);
    (void)raise(WTERMSIG(status));
    return PROBLEM;
}

int main(int argc, char **argv)
{
    const double limit = argc > 2 ? atof(argv[1]) : 0;
    sigset_t signals, mask;
    if (limit <= 0) {
        (void)fprintf(stderr, "usage: time_limit SECONDS PROGRAM [ARGUMENT ...]\n");
        return PROBLEM;
    }
    (void)sigemptyset(&signals);
    (void)sigaddset(&signals, SIGCHLD);
    (void)sigaddset(&signals, SIGINT);
    (void)sigaddset(&signals, SIGTERM);
    (void)sigaddset(&signals, SIGHUP);
    (void)sigprocmask(SIG_BLOCK, &signals, &mask);
    const double begin = clock_s(CLOCK_MONOTONIC);
    const pid_t test = start(argv + 2, &mask);
    if (test < 0) {
        (void)fprintf(stderr, "time_limit: fork: %s\n", strerror(errno));
        return PROBLEM;
    }
    double counted = 0, before = begin, step = limit / 8;
    int status;
    step = step < STEP_MIN_S ? STEP_MIN_S : step > STEP_MAX_S ? STEP_MAX_S : step;
    while (!wait_for(test, &signals, step, &status)) {
        const double factor = slowdown(), now = clock_s(CLOCK_MONOTONIC);
        counted += (now - before) / factor;
        before = now;
        if (counted >= limit)
            return end_at_limit(test, &signals, now - begin, limit);
    }
    const char *file = getenv("TC_TEST_TIMES");
    if (file != NULL && *file != '\0')
        note_times(file, clock_s(CLOCK_MONOTONIC) - begin, argv + 2);
    return end_as(status);
}
