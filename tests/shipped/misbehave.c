/* Executes the payload's command on its process, "word" or "word argument", and writes the
 * result to standard output: "word: " and 0 or an errno, or another number. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define PIECE (16u << 20)

static void say(const char *word, long result)
{
    char line[128];
    int length = snprintf(line, sizeof line, "%s: %ld\n", word, result);
    ssize_t written = write(STDOUT_FILENO, line, (size_t)length);
    (void)written;
}

static long crash(const char *argument)
{
    (void)argument;
    *(volatile int *)0x10 = 1;
    return 0;
}

static long leave(const char *argument)
{
    exit(atoi(argument));
}

/* Until there is no more; then it dies. */
static long eat(const char *argument)
{
    char *piece;
    (void)argument;
    while ((piece = mmap(NULL, PIECE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
                         0)) != MAP_FAILED)
        memset(piece, 1, PIECE);
    abort();
}

static long spin(const char *argument)
{
    static volatile unsigned long turns;
    (void)argument;
    say("spin", 0);
    for (;;)
        turns++;
}

static long wait_without_signals(const char *argument)
{
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    (void)argument;
    say("deaf", 0);
    for (;;)
        pause();
}

static long nap(const char *argument)
{
    usleep((useconds_t)atoi(argument) * 1000);
    return 0;
}

/* Its number; it waits for ever. */
static long leave_child(const char *argument)
{
    (void)argument;
    pid_t pid = fork();
    while (pid == 0)
        pause();
    return pid < 0 ? errno : pid;
}

static long own_number(const char *argument)
{
    (void)argument;
    return getpid();
}

/* --- forbidden in a confined process: 0 or an errno --------------------------------------- */

static long result_of(long result)
{
    return result == -1 ? errno : 0;
}

static long open_and_close(const char *path, int flags)
{
    int fd = open(path, flags | O_CLOEXEC, 0600);
    if (fd < 0)
        return errno;
    close(fd);
    return 0;
}

static long read_file(const char *path)
{
    char byte;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return errno;
    ssize_t n = read(fd, &byte, 1);
    close(fd);
    return n < 0 ? EIO : 0;
}

/* Beginning in a folder that it may open. */
static long read_beside(const char *path)
{
    int folder = open("/usr/lib", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return -1;
    int fd = openat(folder, path, O_RDONLY | O_CLOEXEC);
    long result = result_of(fd);
    if (fd >= 0)
        close(fd);
    close(folder);
    return result;
}

static long write_file(const char *path)
{
    return open_and_close(path, O_WRONLY);
}

static long make_file(const char *path)
{
    return open_and_close(path, O_WRONLY | O_CREAT);
}

static long remove_file(const char *path)
{
    return result_of(unlink(path));
}

/* "from to" */
static long move_file(const char *paths)
{
    char from[256];
    size_t size = strcspn(paths, " ");
    memcpy(from, paths, size);
    from[size] = '\0';
    return result_of(rename(from, paths + size + 1));
}

static long link_file(const char *path)
{
    return result_of(symlink("/etc/passwd", path));
}

static long run_program(const char *path)
{
    char *argv[] = {(char *)path, NULL};
    return result_of(execve(path, argv, NULL));
}

static long make_process(const char *argument)
{
    (void)argument;
    pid_t pid = fork();
    if (pid == 0)
        _exit(0);
    if (pid > 0)
        waitpid(pid, NULL, 0);
    return result_of(pid);
}

static long open_socket(const char *argument)
{
    return result_of(socket(strcmp(argument, "unix") == 0 ? AF_UNIX : AF_INET, SOCK_STREAM, 0));
}

static long signal_process(const char *pid)
{
    return result_of(kill(atoi(pid), SIGTERM));
}

static long map_writable_code(const char *argument)
{
    (void)argument;
    void *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return code == MAP_FAILED ? errno : 0;
}

static long raise_limit(const char *argument)
{
    const struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};
    (void)argument;
    return result_of(setrlimit(RLIMIT_CORE, &limit));
}

static long use_io_uring(const char *argument)
{
    char parameters[512] = {0};
    (void)argument;
    return result_of(syscall(SYS_io_uring_setup, 4, parameters));
}

/* Its own payload, which the target may not let it change. */
static void *own_payload;

static long scribble(const char *argument)
{
    (void)argument;
    *(volatile char *)own_payload = 0;
    return 0;
}

typedef struct deed {
    const char *word;
    long (*does)(const char *argument);
} deed;

static const deed deeds[] = {
    {"crash", crash},
    {"exit", leave},
    {"eat", eat},
    {"spin", spin},
    {"deaf", wait_without_signals},
    {"nap", nap},
    {"read", read_file},
    {"beside", read_beside},
    {"write", write_file},
    {"make", make_file},
    {"remove", remove_file},
    {"move", move_file},
    {"link", link_file},
    {"exec", run_program},
    {"fork", make_process},
    {"socket", open_socket},
    {"kill", signal_process},
    {"wx", map_writable_code},
    {"limit", raise_limit},
    {"uring", use_io_uring},
    {"child", leave_child},
    {"pid", own_number},
    {"scribble", scribble},
};

void misbehave_main(void *payload, size_t size, void *target_args)
{
    char text[512], *argument;
    (void)target_args;
    if (size >= sizeof text)
        return;
    own_payload = payload;
    memcpy(text, payload, size);
    text[size] = '\0';
    argument = strchr(text, ' ');
    if (argument != NULL)
        *argument++ = '\0';
    for (size_t i = 0; i < sizeof deeds / sizeof deeds[0]; i++) {
        if (strcmp(deeds[i].word, text) == 0)
            say(text, deeds[i].does(argument != NULL ? argument : ""));
    }
}
