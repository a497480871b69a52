#include "run_job.h"

#include "bootstrap/run_protocol.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

int run_job_init(run_job *job, uint32_t size)
{
    *job = (run_job){.size = size};
    job->processes = calloc(size, sizeof *job->processes);
    return job->processes != NULL;
}

/* --- starting ----------------------------------------------------------------------------- */

/* The first process reads tc-run's standard input, unless that is a terminal, which belongs to
 * tc-run's own group; the others read nothing. */
static int take_input(uint32_t rank)
{
    if (rank == 0 && !isatty(STDIN_FILENO) && fcntl(STDIN_FILENO, F_GETFD) >= 0)
        return 1;
    int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    return fd >= 0 && dup2(fd, STDIN_FILENO) >= 0;
}

static int set_number(const char *name, uint32_t value)
{
    char text[16];
    (void)snprintf(text, sizeof text, "%u", value);
    return setenv(name, text, 1) == 0;
}

/* The variables may be those of an outer tc-run. */
static int set_program(const run_start *start)
{
    if (start->name == NULL)
        return unsetenv(TCI_RUN_ENV_PROGRAM) == 0 && unsetenv(TCI_RUN_ENV_PROGRAM_NAME) == 0;
    return set_number(TCI_RUN_ENV_PROGRAM, start->program) &&
           setenv(TCI_RUN_ENV_PROGRAM_NAME, start->name, 1) == 0;
}

static int set_environment(const run_job *job, uint32_t rank, const run_start *start)
{
    return setenv(TCI_RUN_ENV_SOCKET, start->socket, 1) == 0 &&
           setenv(TCI_RUN_ENV_SECRET, start->secret, 1) == 0 &&
           set_number(TCI_RUN_ENV_RANK, rank) && set_number(TCI_RUN_ENV_SIZE, job->size) &&
           set_program(start);
}

/* Runs in the child: becomes the program, which closes report_fd, or writes errno to it. */
static void become(const run_job *job, uint32_t rank, const run_start *start, pid_t parent,
                   int report_fd)
{
    sigset_t none;
    (void)sigemptyset(&none);
    (void)setpgid(0, 0);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) /* the parent died before that took effect */
        _exit(1);
    if (take_input(rank) && set_environment(job, rank, start) &&
        (start->out_fd < 0 || dup2(start->out_fd, STDOUT_FILENO) >= 0) &&
        (start->err_fd < 0 || dup2(start->err_fd, STDERR_FILENO) >= 0) &&
        sigprocmask(SIG_SETMASK, &none, NULL) == 0)
        (void)execvp(start->argv[0], start->argv);
    int failed = errno;
    while (write(report_fd, &failed, sizeof failed) < 0 && errno == EINTR)
        ;
    _exit(127);
}

static int cannot_start(const char *program, int errnum)
{
    fprintf(stderr, "tc-run: cannot start %s: %s\n", program, strerror(errnum));
    return errnum == ENOENT ? 127 : 126;
}

int run_job_start(run_job *job, uint32_t rank, const run_start *start)
{
    int report[2];
    int failed = 0;
    pid_t parent = getpid();
    if (pipe2(report, O_CLOEXEC) != 0)
        return cannot_start(start->argv[0], errno);
    (void)fflush(NULL); /* buffered output must not be printed twice */
    pid_t pid = fork();
    if (pid == 0)
        become(job, rank, start, parent, report[1]);
    failed = pid < 0 ? errno : 0;
    (void)close(report[1]);
    ssize_t n = 0;
    while (pid > 0 && (n = read(report[0], &failed, sizeof failed)) < 0 && errno == EINTR)
        ;
    (void)close(report[0]);
    if (pid > 0 && n == sizeof failed)
        (void)waitpid(pid, NULL, 0);
    if (failed != 0)
        return cannot_start(start->argv[0], failed);
    job->processes[rank].pid = pid;
    job->running++;
    return 0;
}

/* --- watching and ending ------------------------------------------------------------------ */

static void describe_end(run_process *p, const siginfo_t *info)
{
    p->ended = 1;
    if (info->si_code == CLD_EXITED) {
        p->status = info->si_status;
        (void)snprintf(p->how, sizeof p->how, "ended with status %d", p->status);
    } else {
        p->by_signal = 1;
        p->status = 128 + info->si_status;
        (void)snprintf(p->how, sizeof p->how, "was ended by signal %d (%s)%s", info->si_status,
                       strsignal(info->si_status),
                       info->si_code == CLD_DUMPED ? ", with a core dump" : "");
    }
}

int run_job_next_end(run_job *job, uint32_t *rank_out)
{
    for (uint32_t rank = 0; rank < job->size; rank++) {
        run_process *p = &job->processes[rank];
        siginfo_t info = {.si_pid = 0};
        if (p->pid == 0 || p->ended)
            continue;
        if (waitid(P_PID, (id_t)p->pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
            info.si_pid == 0)
            continue;
        describe_end(p, &info);
        job->running--;
        *rank_out = rank;
        return 1;
    }
    return 0;
}

void run_job_signal(const run_job *job, int number)
{
    for (uint32_t rank = 0; rank < job->size; rank++) {
        const run_process *p = &job->processes[rank];
        if (p->pid != 0 && !p->ended)
            (void)kill(-p->pid, number);
    }
}

void run_job_end(run_job *job)
{
    for (uint32_t rank = 0; rank < job->size; rank++) {
        run_process *p = &job->processes[rank];
        siginfo_t info = {.si_pid = 0};
        if (p->pid == 0)
            continue;
        (void)kill(-p->pid, SIGKILL);
        if (!p->ended && waitid(P_PID, (id_t)p->pid, &info, WEXITED | WNOWAIT) == 0)
            describe_end(p, &info);
        (void)waitpid(p->pid, NULL, 0);
    }
}

void run_job_fini(run_job *job)
{
    free(job->processes);
}
