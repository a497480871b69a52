#include "child_run.h"

#include "base/error_text.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { OUTPUT_BYTES_MAX = 1 << 30, READ_BYTES_MIN = 64 << 10 };

typedef struct growing {
    char *bytes;
    size_t size;
    size_t capacity;
} growing;

static tc_status make_room(growing *out, tc_error *err)
{
    if (out->capacity - out->size >= READ_BYTES_MIN)
        return TC_OK;
    size_t capacity = out->capacity == 0 ? 4 * READ_BYTES_MIN : out->capacity * 2;
    if (capacity > OUTPUT_BYTES_MAX)
        return tci_error_set(err, TC_E_TOO_LARGE, "it wrote more than %d bytes",
                             OUTPUT_BYTES_MAX);
    /* bound: OUTPUT_BYTES_MAX */
    char *bytes = realloc(out->bytes, capacity);
    if (bytes == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "no memory for its output of %zu bytes",
                             capacity);
    out->bytes = bytes;
    out->capacity = capacity;
    return TC_OK;
}

static tc_status read_all(int fd, growing *out, tc_error *err)
{
    for (;;) {
        TC_TRY(make_room(out, err));
        ssize_t n = read(fd, out->bytes + out->size, out->capacity - out->size);
        if (n == 0)
            return TC_OK;
        if (n < 0 && errno != EINTR)
            return tci_error_errno(err, TC_E_IO, errno, "reading its output");
        out->size += n > 0 ? (size_t)n : 0;
    }
}

static tc_status spawn(char *const *argv, const char *advice, int output, pid_t *pid_out,
                       tc_error *err)
{
    posix_spawn_file_actions_t actions;
    if (posix_spawn_file_actions_init(&actions) != 0)
        return tci_error_set(err, TC_E_NO_MEMORY, "no memory to run a program");
    int rc = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (rc == 0)
        rc = posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    if (rc == 0)
        /* bound: RLIMIT_NPROC */
        rc = posix_spawnp(pid_out, argv[0], &actions, NULL, argv, environ);
    (void)posix_spawn_file_actions_destroy(&actions);
    if (rc == ENOENT)
        return tci_error_set(err, TC_E_NOT_FOUND, "no program '%s'; %s", argv[0], advice);
    if (rc != 0)
        return tci_error_errno(err, TC_E_IO, rc, "running '%s'", argv[0]);
    return TC_OK;
}

static tc_status wait_for(pid_t pid, const char *program, tc_error *err)
{
    int status = 0;
    while (waitpid(pid, &status, 0) < 0) {
        if (errno != EINTR)
            return tci_error_errno(err, TC_E_IO, errno, "waiting for '%s'", program);
    }
    if (WIFSIGNALED(status))
        return tci_error_set(err, TC_E_COMPILE, "'%s' was ended by signal %d", program,
                             WTERMSIG(status));
    if (WEXITSTATUS(status) != 0)
        return tci_error_set(err, TC_E_COMPILE, "'%s' failed with exit status %d", program,
                             WEXITSTATUS(status));
    return TC_OK;
}

tc_status tci_child_run(const tci_text_list *words, const char *advice, void **bytes_out,
                        size_t *size_out, tc_error *err)
{
    int ends[2];
    pid_t pid = -1;
    growing out = {0};
    if (words->failed)
        return tci_error_set(err, TC_E_NO_MEMORY, "no memory for a command");
    if (pipe2(ends, O_CLOEXEC) != 0)
        return tci_error_errno(err, TC_E_IO, errno, "pipe");
    tc_status status = spawn(words->items, advice, ends[1], &pid, err);
    (void)close(ends[1]);
    if (status == TC_OK) {
        status = read_all(ends[0], &out, err);
        if (status != TC_OK)
            (void)kill(pid, SIGKILL);
        tc_error exit_error;
        tc_status exit_status = wait_for(pid, words->items[0], &exit_error);
        if (status == TC_OK && exit_status != TC_OK)
            status = tci_error_set(err, exit_status, "%s", exit_error.text);
    }
    (void)close(ends[0]);
    if (status != TC_OK) {
        free(out.bytes);
        return status;
    }
    *bytes_out = out.bytes;
    *size_out = out.size;
    return TC_OK;
}
