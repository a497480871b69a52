/* Does to its process what the payload says, "word" or "word argument", and writes what came of it
 * to standard output: "word: " and 0 or an errno, or another number. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define PIECE (16u << 20)

void misbehave_main(void *payload, size_t size, void *target_args);

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

typedef struct deed {
    const char *word;
    long (*does)(const char *argument);
} deed;

static const deed deeds[] = {
    {"crash", crash}, {"exit", leave},        {"eat", eat},        {"spin", spin},
    {"nap", nap},     {"child", leave_child}, {"pid", own_number},
};

void misbehave_main(void *payload, size_t size, void *target_args)
{
    char text[512], *argument;
    (void)target_args;
    if (size >= sizeof text)
        return;
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
