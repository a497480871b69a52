#include "perf_process.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t start(bool (*part)(void *user), void *user)
{
    pid_t parent = getpid();
    (void)fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        bool ok = getppid() == parent && part(user);
        (void)fflush(NULL);
        _exit(ok ? EXIT_SUCCESS : EXIT_FAILURE);
    }
    if (pid < 0)
        perror("tc-perf: fork");
    return pid;
}

bool perf_process_run(bool (*part)(void *user), void *user)
{
    int status = 0;
    pid_t pid = start(part, user);
    return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
}

static void end_all(const pid_t *pids, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        if (pids[i] > 0)
            (void)kill(pids[i], SIGKILL);
    }
}

static bool await_any(pid_t *pids, unsigned count)
{
    int status = 0;
    pid_t pid = waitpid(-1, &status, 0);
    for (unsigned i = 0; i < count; i++) {
        if (pids[i] == pid)
            pids[i] = 0;
    }
    return pid > 0 && status == 0;
}

bool perf_process_run_all(bool (*const *parts)(void *user), unsigned count, void *user)
{
    pid_t pids[PERF_PROCESSES_MAX] = {0};
    unsigned started = 0;
    bool ok = count <= PERF_PROCESSES_MAX;
    while (ok && started < count) {
        pids[started] = start(parts[started], user);
        ok = pids[started] > 0;
        started += ok;
    }
    if (!ok)
        end_all(pids, started);
    for (unsigned left = started; left > 0; left--) {
        if (!await_any(pids, started) && ok) {
            ok = false;
            end_all(pids, started);
        }
    }
    return ok;
}

void *perf_process_share(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        perror("tc-perf: shared memory");
        return NULL;
    }
    return memory;
}
