#include "tool_run.h"

#include "base/clock.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WORDS_MAX = 32, DEADLINE_S = 60 };

extern char **environ;

static char folder[64];
static int home = -1;

static pid_t spawn(char *const *argv, int output)
{
    pid_t pid;
    posix_spawn_file_actions_t actions;
    assert_int_equal(posix_spawn_file_actions_init(&actions), 0);
    assert_int_equal(posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO), 0);
    assert_int_equal(posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO), 0);
    assert_int_equal(posix_spawn(&pid, argv[0], &actions, NULL, argv, environ), 0);
    assert_int_equal(posix_spawn_file_actions_destroy(&actions), 0);
    return pid;
}

/* False when the deadline passed first. */
static bool read_until_end(int fd, char *text, size_t size)
{
    uint64_t deadline = tci_deadline_after(DEADLINE_S * TCI_NS_PER_S);
    size_t used = 0;
    for (;;) {
        char rest[4096];
        struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
        if (poll(&poll_fd, 1, (int)(tci_deadline_left_ns(deadline) / TCI_NS_PER_MS)) <= 0)
            return false;
        ssize_t n = read(fd, rest, sizeof rest);
        if (n <= 0)
            break;
        size_t kept = (size_t)n < size - 1 - used ? (size_t)n : size - 1 - used;
        memcpy(text + used, rest, kept);
        used += kept;
    }
    text[used] = '\0';
    return true;
}

void run_tool(tool_result *result, const char *program, ...)
{
    char *argv[WORDS_MAX] = {(char *)program};
    int ends[2], status;
    va_list words;
    va_start(words, program);
    for (int i = 1; i < WORDS_MAX && (argv[i] = va_arg(words, char *)) != NULL;)
        i++;
    va_end(words);
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    pid_t pid = spawn(argv, ends[1]);
    (void)close(ends[1]);
    if (!read_until_end(ends[0], result->text, sizeof result->text))
        (void)kill(pid, SIGKILL);
    (void)close(ends[0]);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    result->exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int enter_empty_folder(void **state)
{
    home = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    (void)snprintf(folder, sizeof folder, "/tmp/tc-compiler-test-XXXXXX");
    return home >= 0 && mkdtemp(folder) != NULL && chdir(folder) == 0 ? 0 : -1;
}

/* The tests make folders one deep at most. */
static void remove_entries(const char *path, bool descend)
{
    DIR *dir = opendir(path);
    assert_non_null(dir);
    for (struct dirent *e = readdir(dir); e != NULL; e = readdir(dir)) {
        char entry[512];
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        (void)snprintf(entry, sizeof entry, "%s/%s", path, e->d_name);
        struct stat st;
        if (descend && lstat(entry, &st) == 0 && S_ISDIR(st.st_mode))
            remove_entries(entry, false);
        assert_int_equal(remove(entry), 0);
    }
    (void)closedir(dir);
}

int leave_folder(void **state)
{
    remove_entries(folder, true);
    int rc = fchdir(home);
    (void)close(home);
    return rc == 0 && rmdir(folder) == 0 ? 0 : -1;
}

const char *data_file(const char *name)
{
    static char paths[4][512];
    static unsigned next;
    char *path = paths[next++ % 4];
    (void)snprintf(path, sizeof paths[0], "%s/%s", TEST_DATA, name);
    return path;
}

void assert_has(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        fail_msg("expected '%s' in:\n%s", part, text);
}

void assert_has_not(const char *text, const char *part)
{
    if (strstr(text, part) != NULL)
        fail_msg("did not expect '%s' in:\n%s", part, text);
}

char *read_file(const char *path, size_t *size_out)
{
    struct stat st;
    FILE *f = fopen(path, "rb");
    if (f == NULL)
        return NULL;
    assert_int_equal(fstat(fileno(f), &st), 0);
    char *bytes = calloc(1, (size_t)st.st_size + 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, (size_t)st.st_size, f), st.st_size);
    (void)fclose(f);
    if (size_out != NULL)
        *size_out = (size_t)st.st_size;
    return bytes;
}

void write_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}
