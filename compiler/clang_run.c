#include "clang_run.h"

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

enum { BITCODE_BYTES_MAX = 1 << 30, READ_BYTES_MIN = 64 << 10 };

const char *tci_clang_program(void)
{
    const char *program = getenv("TC_CLANG");
    return program != NULL && program[0] != '\0' ? program : TC_CLANG_PROGRAM;
}

/* --- the command ------------------------------------------------------------------------- */

/* assert and __FILE__ write the source's path into the code; without its folder the same source
 * gives the same archive wherever it lies. */
static void add_path_map(const char *source, tci_text_list *words)
{
    const char *slash = strrchr(source, '/');
    if (slash != NULL)
        tci_text_list_format(words, "-fmacro-prefix-map=%.*s=", (int)(slash - source) + 1,
                             source);
}

static void add_cross_headers(const tci_target *target, tci_text_list *words)
{
    char folder[4096];
    if (tci_target_is_host(target) ||
        !tci_target_header_folder(target, folder, sizeof folder) || access(folder, F_OK) != 0)
        return;
    /* In front of /usr/include, where headers of other libraries are: those are the same for
     * all machines. */
    tci_text_list_add(words, "-isystem");
    tci_text_list_add(words, folder);
}

void tci_clang_command(const tci_command *command, const tci_target *target, const char *source,
                       tci_text_list *words_out)
{
    /* What a user may override stands before the user's options. */
    static const char *const defaults[] = {"-O2", "-fno-stack-protector",
                                           "-fno-asynchronous-unwind-tables",
                                           "-fomit-frame-pointer"};
    /* The target compiles position-independent code only, and cannot read the bitcode of -flto.
     */
    static const char *const fixed[] = {"-fPIC", "-fno-lto", "-c", "-emit-llvm", "-o", "-"};
    tci_text_list_add(words_out, tci_clang_program());
    tci_text_list_format(words_out, "--target=%s", target->gnu_triple);
    for (size_t i = 0; i < sizeof defaults / sizeof defaults[0]; i++)
        tci_text_list_add(words_out, defaults[i]);
    add_path_map(source, words_out);
    for (size_t i = 0; i < command->clang_options.count; i++)
        tci_text_list_add(words_out, command->clang_options.items[i]);
    add_cross_headers(target, words_out);
    if (!command->keep_debug)
        tci_text_list_add(words_out,
                          "-g"); /* file and line for the checks; removed afterwards */
    for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; i++)
        tci_text_list_add(words_out, fixed[i]);
    /* A path that starts with '-' would be read as an option; so would none that has a folder.
     */
    tci_text_list_format(words_out, "%s%s", source[0] == '-' ? "./" : "", source);
}

static void print_word(const char *word, FILE *stream)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./=-+,:%@";
    if (word[0] != '\0' && word[strspn(word, plain)] == '\0') {
        (void)fputs(word, stream);
        return;
    }
    (void)fputc('\'', stream);
    for (; *word != '\0'; word++) {
        if (*word == '\'')
            (void)fputs("'\\''", stream);
        else
            (void)fputc(*word, stream);
    }
    (void)fputc('\'', stream);
}

void tci_clang_print(const tci_text_list *words, FILE *stream)
{
    for (size_t i = 0; i < words->count; i++) {
        if (i > 0)
            (void)fputc(' ', stream);
        print_word(words->items[i], stream);
    }
    (void)fputc('\n', stream);
}

/* --- the process ------------------------------------------------------------------------- */

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
    if (capacity > BITCODE_BYTES_MAX)
        return tci_error_set(err, TC_E_TOO_LARGE, "clang wrote more than %d bytes",
                             BITCODE_BYTES_MAX);
    char *bytes = realloc(out->bytes, capacity);
    if (bytes == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "no memory for %zu bytes of bitcode",
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
            return tci_error_errno(err, TC_E_IO, errno, "reading from clang");
        out->size += n > 0 ? (size_t)n : 0;
    }
}

static tc_status spawn(char *const *argv, int output, pid_t *pid_out, tc_error *err)
{
    posix_spawn_file_actions_t actions;
    if (posix_spawn_file_actions_init(&actions) != 0)
        return tci_error_set(err, TC_E_NO_MEMORY, "no memory to run clang");
    int rc = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (rc == 0)
        rc = posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    if (rc == 0)
        rc = posix_spawnp(pid_out, argv[0], &actions, NULL, argv, environ);
    (void)posix_spawn_file_actions_destroy(&actions);
    if (rc == ENOENT)
        return tci_error_set(err, TC_E_NOT_FOUND,
                             "no program '%s'; install clang or set TC_CLANG to its path",
                             argv[0]);
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

tc_status tci_clang_run(const tci_text_list *words, void **bytes_out, size_t *size_out,
                        tc_error *err)
{
    int ends[2];
    pid_t pid = -1;
    growing out = {0};
    if (words->failed)
        return tci_error_set(err, TC_E_NO_MEMORY, "no memory for a command");
    if (pipe2(ends, O_CLOEXEC) != 0)
        return tci_error_errno(err, TC_E_IO, errno, "pipe");
    tc_status status = spawn(words->items, ends[1], &pid, err);
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
