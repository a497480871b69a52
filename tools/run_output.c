#include "run_output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#define LINE_MAX_BYTES 8192u /* longer lines are printed in pieces */
#define LABEL_MAX 16u

typedef struct stream {
    int fd; /* -1: its writers are gone */
    int to;
    size_t label; /* bytes of the label, at the front of `line` */
    size_t used;
    char line[LABEL_MAX + LINE_MAX_BYTES + 1];
} stream;

struct run_output {
    int epoll_fd;
    uint32_t size;
    uint32_t open;
    stream *streams; /* two of each rank */
};

run_output *run_output_open(uint32_t size)
{
    run_output *output = calloc(1, sizeof *output);
    if (output == NULL)
        return NULL;
    output->size = size;
    output->streams = calloc(2 * (size_t)size, sizeof *output->streams);
    output->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    if (output->streams == NULL || output->epoll_fd < 0) {
        fprintf(stderr, "tc-run: --label: %s\n", strerror(errno));
        run_output_close(output);
        return NULL;
    }
    for (uint32_t i = 0; i < 2 * size; i++)
        output->streams[i].fd = -1;
    return output;
}

void run_output_close(run_output *output)
{
    if (output == NULL)
        return;
    for (uint32_t i = 0; output->streams != NULL && i < 2 * output->size; i++) {
        if (output->streams[i].fd >= 0)
            (void)close(output->streams[i].fd);
    }
    if (output->epoll_fd >= 0)
        (void)close(output->epoll_fd);
    free(output->streams);
    free(output);
}

static int add_stream(run_output *output, uint32_t index, int to, int *writer_out)
{
    int ends[2];
    stream *s = &output->streams[index];
    struct epoll_event event = {.events = EPOLLIN, .data.u32 = index};
    if (pipe2(ends, O_CLOEXEC) != 0)
        return 0;
    s->fd = ends[0];
    s->to = to;
    s->label = (size_t)snprintf(s->line, LABEL_MAX, "[%u] ", index / 2);
    s->used = s->label;
    *writer_out = ends[1];
    output->open++;
    return fcntl(s->fd, F_SETFL, O_NONBLOCK) == 0 &&
           epoll_ctl(output->epoll_fd, EPOLL_CTL_ADD, s->fd, &event) == 0;
}

int run_output_add(run_output *output, uint32_t rank, int *stdout_fd_out, int *stderr_fd_out)
{
    if (!add_stream(output, 2 * rank, STDOUT_FILENO, stdout_fd_out) ||
        !add_stream(output, 2 * rank + 1, STDERR_FILENO, stderr_fd_out)) {
        fprintf(stderr, "tc-run: --label: %s\n", strerror(errno));
        return 0;
    }
    return 1;
}

int run_output_fd(const run_output *output)
{
    return output->epoll_fd;
}

/* Prints in one write, so that lines of several processes stay whole. */
static void print(int to, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t n = write(to, bytes, size);
        if (n < 0 && errno != EINTR && errno != EAGAIN)
            return;
        if (n > 0) {
            bytes += n;
            size -= (size_t)n;
        }
    }
}

/* Prints the line that ends before offset `end`, and keeps the bytes after it. */
static void print_line(stream *s, size_t end)
{
    size_t left = s->used - end;
    char kept = s->line[end]; /* a piece of a long line gets a newline of its own */
    int whole = s->line[end - 1] == '\n';
    s->line[end] = '\n';
    print(s->to, s->line, whole ? end : end + 1);
    s->line[end] = kept;
    memmove(s->line + s->label, s->line + end, left);
    s->used = s->label + left;
}

static void end_stream(run_output *output, stream *s)
{
    if (s->used > s->label)
        print_line(s, s->used);
    (void)close(s->fd);
    s->fd = -1;
    output->open--;
}

static void serve_stream(run_output *output, stream *s)
{
    char *end;
    ssize_t n = read(s->fd, s->line + s->used, s->label + LINE_MAX_BYTES - s->used);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n <= 0) {
        end_stream(output, s);
        return;
    }
    s->used += (size_t)n;
    while ((end = memchr(s->line + s->label, '\n', s->used - s->label)) != NULL)
        print_line(s, (size_t)(end - s->line) + 1);
    if (s->used == s->label + LINE_MAX_BYTES)
        print_line(s, s->used);
}

static int serve(run_output *output, int milliseconds)
{
    struct epoll_event events[32];
    int n =
        epoll_wait(output->epoll_fd, events, sizeof events / sizeof events[0], milliseconds);
    for (int i = 0; i < n; i++)
        serve_stream(output, &output->streams[events[i].data.u32]);
    return n;
}

void run_output_serve(run_output *output)
{
    (void)serve(output, 0);
}

static int left_ms(const struct timespec *begun, int milliseconds)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    long gone = (now.tv_sec - begun->tv_sec) * 1000 + (now.tv_nsec - begun->tv_nsec) / 1000000;
    return gone >= milliseconds ? 0 : milliseconds - (int)gone;
}

void run_output_drain(run_output *output, int milliseconds)
{
    struct timespec begun;
    int left = milliseconds;
    clock_gettime(CLOCK_MONOTONIC, &begun);
    while (output->open > 0 && left > 0 && serve(output, left) >= 0)
        left = left_ms(&begun, milliseconds);
}
