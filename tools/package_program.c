#include "package_program.h"

#include "base/error_text.h"

#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

void package_program_add(package_program *program, const char *fmt, ...)
{
    va_list args;
    char *word = NULL;
    va_start(args, fmt);
    if (program->count == PACKAGE_WORDS_MAX || vasprintf(&word, fmt, args) < 0)
        program->failed = true;
    else
        program->words[program->count++] = word;
    va_end(args);
}

static void forget_words(package_program *program)
{
    for (int i = 0; i < program->count; i++)
        free(program->words[i]);
    *program = (package_program){.count = 0};
}

static tc_status run(const package_program *program, const char *advice, tc_error *err)
{
    pid_t pid;
    int status = 0;
    const char *name = program->words[0];
    if (program->failed)
        return tci_error_set(err, TC_E_NO_MEMORY, "too long a command for '%s'", name);
    int rc = posix_spawnp(&pid, name, NULL, NULL, program->words, environ);
    if (rc == ENOENT)
        return tci_error_set(err, TC_E_NOT_FOUND, "no program '%s'; %s", name, advice);
    if (rc != 0)
        return tci_error_errno(err, TC_E_IO, rc, "running '%s'", name);
    while (waitpid(pid, &status, 0) < 0) {
        if (errno != EINTR)
            return tci_error_errno(err, TC_E_IO, errno, "waiting for '%s'", name);
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return TC_OK;
    return tci_error_set(err, TC_E_COMPILE, "'%s' %s %d", name,
                         WIFSIGNALED(status) ? "was ended by signal"
                                             : "failed with exit status",
                         WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
}

tc_status package_program_run(package_program *program, const char *advice, tc_error *err)
{
    tc_status status = run(program, advice, err);
    forget_words(program);
    return status;
}

void package_program_beside(const char *name, char *out, size_t size)
{
    char own[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
    (void)snprintf(out, size, "%s", name);
    if (length <= 0)
        return;
    own[length] = '\0';
    *strrchr(own, '/') = '\0';
    char beside[PATH_MAX + 64];
    (void)snprintf(beside, sizeof beside, "%s/%s", own, name);
    if (access(beside, X_OK) == 0)
        (void)snprintf(out, size, "%s", beside);
}
