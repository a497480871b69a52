#include "process.h"
#include "test.h"

#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* In the child: only calls that are allowed after a fork. */
static void run(int in_fd, int out_fd, const char *const *argv, char *const *environment)
{
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (dup2(in_fd, STDIN_FILENO) >= 0 && dup2(out_fd, STDOUT_FILENO) >= 0)
        (void)execve(argv[0], (char *const *)(uintptr_t)argv, environment);
    _exit(127);
}

/* The first value that getenv finds counts, so settings come before the old values. */
static char **make_environment(const char *const *settings)
{
    extern char **environ;
    size_t count = 1, n = 0;
    for (size_t i = 0; environ[i] != NULL; i++)
        count++;
    for (size_t i = 0; settings != NULL && settings[i] != NULL; i++)
        count++;
    char **environment = calloc(count, sizeof *environment);
    assert_non_null(environment);
    for (size_t i = 0; settings != NULL && settings[i] != NULL; i++)
        environment[n++] = (char *)(uintptr_t)settings[i];
    for (size_t i = 0; environ[i] != NULL; i++)
        environment[n++] = environ[i];
    return environment;
}

void process_start(process *p, const char *const *argv, const char *const *settings)
{
    int in[2], out[2];
    memset(p, 0, sizeof *p);
    assert_int_equal(pipe2(in, O_CLOEXEC), 0);
    assert_int_equal(pipe2(out, O_CLOEXEC), 0);
    char **environment = make_environment(settings);
    p->pid = fork();
    if (p->pid == 0)
        run(in[0], out[1], argv, environment);
    assert_true(p->pid > 0);
    free(environment);
    (void)close(in[0]);
    (void)close(out[1]);
    p->in_fd = in[1];
    p->out_fd = out[0];
}

static void read_more(process *p, uint64_t deadline_ns)
{
    struct pollfd ready = {.fd = p->out_fd, .events = POLLIN};
    if (p->kept == sizeof p->line)
        fail_msg("process %d: a line of more than %zu bytes", (int)p->pid, sizeof p->line);
    if (poll(&ready, 1, (int)(tci_deadline_left_ns(deadline_ns) / 1000000)) <= 0)
        fail_msg("process %d: said nothing in time", (int)p->pid);
    ssize_t n = read(p->out_fd, p->line + p->kept, sizeof p->line - p->kept);
    if (n <= 0)
        fail_msg("process %d: its output ended at '%.*s'", (int)p->pid, (int)p->kept, p->line);
    p->kept += (size_t)n;
}

const char *process_read_line(process *p)
{
    static char line[PROCESS_LINE_MAX];
    uint64_t deadline_ns = tci_deadline_after(PROCESS_DEADLINE_NS);
    char *end;
    while ((end = memchr(p->line, '\n', p->kept)) == NULL)
        read_more(p, deadline_ns);
    size_t size = (size_t)(end - p->line);
    memcpy(line, p->line, size);
    line[size] = '\0';
    p->kept -= size + 1;
    memmove(p->line, end + 1, p->kept);
    return line;
}

uint64_t process_read_number(process *p, const char *word)
{
    const char *line = process_read_line(p);
    size_t n = strlen(word);
    if (strncmp(line, word, n) != 0 || line[n] != ' ')
        fail_msg("process %d: said '%s', expected '%s' and a number", (int)p->pid, line, word);
    return strtoull(line + n, NULL, 10);
}

void process_signal(const process *p, int number)
{
    assert_true(p->pid > 0);
    assert_int_equal(kill(p->pid, number), 0);
}

void process_finish_input(process *p)
{
    if (p->in_fd >= 0)
        (void)close(p->in_fd);
    p->in_fd = -1;
}

int process_wait(process *p)
{
    uint64_t deadline_ns = tci_deadline_after(PROCESS_DEADLINE_NS);
    int status;
    pid_t pid = p->pid;
    while (waitpid(pid, &status, WNOHANG) == 0) {
        if (tci_deadline_left_ns(deadline_ns) == 0) {
            process_end(p);
            fail_msg("process %d: did not end in time", (int)pid);
        }
        (void)usleep(1000);
    }
    p->pid = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void process_kill_unreaped(process *p)
{
    siginfo_t info;
    process_signal(p, SIGKILL);
    assert_int_equal(waitid(P_PID, (id_t)p->pid, &info, WEXITED | WNOWAIT), 0);
}

void process_end(process *p)
{
    if (p->out_fd == 0) /* never started, or ended before */
        return;
    if (p->pid > 0) {
        (void)kill(p->pid, SIGKILL);
        (void)waitpid(p->pid, NULL, 0);
    }
    p->pid = 0;
    (void)close(p->out_fd);
    p->out_fd = 0;
    process_finish_input(p);
}
