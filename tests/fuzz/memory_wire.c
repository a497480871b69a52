#include "memory_wire.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

memory_wire_end memory_wire_ends[2];

ssize_t __wrap_recv(int fd, void *bytes, size_t size, int flags);
ssize_t __wrap_send(int fd, const void *bytes, size_t size, int flags);
ssize_t __real_recv(int fd, void *bytes, size_t size, int flags);
ssize_t __real_send(int fd, const void *bytes, size_t size, int flags);

static memory_wire_end *end_of(int fd)
{
    return fd == MEMORY_WIRE_FD || fd == MEMORY_WIRE_FD + 1
               ? &memory_wire_ends[fd - MEMORY_WIRE_FD]
               : NULL;
}

ssize_t __wrap_recv(int fd, void *bytes, size_t size, int flags)
{
    memory_wire_end *end = end_of(fd);
    if (end == NULL)
        return __real_recv(fd, bytes, size, flags);
    size_t n = end->came_end - end->came_begin;
    if (n == 0 && end->closed)
        return 0;
    if (n == 0) {
        errno = EAGAIN;
        return -1;
    }
    n = n < size ? n : size;
    memcpy(bytes, end->came + end->came_begin, n);
    if ((flags & MSG_PEEK) == 0)
        end->came_begin += n;
    return (ssize_t)n;
}

ssize_t __wrap_send(int fd, const void *bytes, size_t size, int flags)
{
    memory_wire_end *end = end_of(fd);
    if (end == NULL)
        return __real_send(fd, bytes, size, flags);
    size_t room = sizeof end->sent - end->sent_bytes;
    if (end->full || room == 0) {
        errno = EAGAIN;
        return -1;
    }
    size = size < room ? size : room;
    memcpy(end->sent + end->sent_bytes, bytes, size);
    end->sent_bytes += size;
    return (ssize_t)size;
}

/* The buffers keep their old bytes, which are not read. */
void memory_wire_restart(void)
{
    for (size_t i = 0; i < 2; i++) {
        memory_wire_end *end = &memory_wire_ends[i];
        end->came_begin = end->came_end = end->sent_bytes = 0;
        end->closed = end->full = false;
    }
}

void memory_wire_arrive(unsigned end, const uint8_t *bytes, size_t size)
{
    memory_wire_end *to = &memory_wire_ends[end];
    size_t waiting = to->came_end - to->came_begin;
    memmove(to->came, to->came + to->came_begin, waiting);
    size = size < sizeof to->came - waiting ? size : sizeof to->came - waiting;
    memcpy(to->came + waiting, bytes, size);
    to->came_begin = 0;
    to->came_end = waiting + size;
}

void memory_wire_lose(unsigned from, size_t size)
{
    memory_wire_end *end = &memory_wire_ends[from];
    size = size < end->sent_bytes ? size : end->sent_bytes;
    end->sent_bytes -= size;
    memmove(end->sent, end->sent + size, end->sent_bytes);
}

void memory_wire_carry(unsigned from, unsigned to, size_t size)
{
    const memory_wire_end *end = &memory_wire_ends[from];
    size = size < end->sent_bytes ? size : end->sent_bytes;
    memory_wire_arrive(to, end->sent, size);
    memory_wire_lose(from, size);
}
