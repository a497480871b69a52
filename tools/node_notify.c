#include "node_notify.h"

#include "node_say.h"
#include "tool_clock.h"

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#define VARIABLE "NOTIFY_SOCKET"
#define TEXT_MAX 512
#define SEND_S 2  /* for one notice */
#define STOP_S 10 /* that the end may take after the time of the drain */

static int channel = -1;

/* Returns a connected socket; -1 with errno. */
static int connect_to(const char *name)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const size_t size = strlen(name);
    errno = EINVAL;
    if (size < 2 || size >= sizeof address.sun_path || (name[0] != '/' && name[0] != '@'))
        return -1;
    memcpy(address.sun_path, name, size);
    if (name[0] == '@')
        address.sun_path[0] = '\0';
    const socklen_t used =
        (socklen_t)(offsetof(struct sockaddr_un, sun_path) + size + (name[0] == '/'));
    const struct timeval patience = {.tv_sec = SEND_S};
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience) == 0 &&
        connect(fd, (const struct sockaddr *)&address, used) == 0)
        return fd;
    int problem = errno;
    if (fd >= 0)
        (void)close(fd);
    errno = problem;
    return -1;
}

void node_notify_begin(void)
{
    const char *name = getenv(VARIABLE);
    if (name == NULL || *name == '\0')
        return;
    channel = connect_to(name);
    if (channel < 0)
        node_say(NODE_WARNING, VARIABLE " %s: %s", name, strerror(errno));
    (void)unsetenv(VARIABLE);
}

/* A failure has no consequence here: the manager ends a start without a notice. One whose queue
 * is full keeps the node waiting for SEND_S at most. */
static void notify(const char *text, int size)
{
    if (channel >= 0 && size > 0)
        (void)!send(channel, text, (size_t)size < TEXT_MAX ? (size_t)size : TEXT_MAX - 1,
                    MSG_NOSIGNAL);
}

void node_notify_ready(const char *fmt, ...)
{
    static const char head[] = "READY=1\nSTATUS=";
    char text[TEXT_MAX];
    va_list args;
    memcpy(text, head, sizeof head);
    va_start(args, fmt);
    const int size =
        vsnprintf(text + sizeof head - 1, sizeof text - sizeof head + 1, fmt, args);
    va_end(args);
    notify(text, (int)sizeof head - 1 + size);
}

/* The time distinguishes the reload that a later READY=1 ends. */
void node_notify_reloading(void)
{
    char text[TEXT_MAX];
    notify(text, snprintf(text, sizeof text, "RELOADING=1\nMONOTONIC_USEC=%llu\n",
                          (unsigned long long)(tool_clock_ns() / 1000)));
}

void node_notify_stopping(unsigned long long seconds)
{
    char text[TEXT_MAX];
    notify(text, snprintf(text, sizeof text,
                          "STOPPING=1\nSTATUS=drains, %llu s at most\n"
                          "EXTEND_TIMEOUT_USEC=%llu\n",
                          seconds, (seconds + STOP_S) * 1000000ull));
}

void node_notify_successor(long process)
{
    char text[TEXT_MAX];
    notify(text, snprintf(text, sizeof text, "MAINPID=%ld\n", process));
}
