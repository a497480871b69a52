#include "perf_process.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

bool perf_process_run(bool (*part)(void *user), void *user)
{
    int status = 0;
    pid_t parent = getpid();
    (void)fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        bool ok = getppid() == parent && part(user);
        (void)fflush(NULL);
        _exit(ok ? EXIT_SUCCESS : EXIT_FAILURE);
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid) {
        perror("tc-perf: fork");
        return false;
    }
    return status == 0;
}
