/* Declarations of the system calls that sim_system.c wraps: the simulated one, and the real
 * one. */
#ifndef SIM_SYSTEM_H
#define SIM_SYSTEM_H

#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#define SIM_WRAPPED(result, name, ...)                                                         \
    result __wrap_##name(__VA_ARGS__);                                                         \
    result __real_##name(__VA_ARGS__);

SIM_WRAPPED(int, clock_gettime, clockid_t clock, struct timespec *time)
SIM_WRAPPED(time_t, time, time_t *out)
SIM_WRAPPED(int, nanosleep, const struct timespec *time, struct timespec *left)
SIM_WRAPPED(int, usleep, useconds_t us)
SIM_WRAPPED(unsigned, sleep, unsigned seconds)
SIM_WRAPPED(int, sched_yield, void)
SIM_WRAPPED(ssize_t, getrandom, void *bytes, size_t size, unsigned flags)
SIM_WRAPPED(void, randombytes_buf, void *bytes, size_t size)
SIM_WRAPPED(void, tci_host_id, uint8_t *id_out)
SIM_WRAPPED(const char *, tci_triple_host, void)
SIM_WRAPPED(void, tci_fork_guard_add, void *guard, void *give_up)
SIM_WRAPPED(void, tci_fork_guard_remove, void *guard)
SIM_WRAPPED(int, eventfd, unsigned initial, int flags)
SIM_WRAPPED(int, timerfd_create, int clock, int flags)
SIM_WRAPPED(int, timerfd_settime, int fd, int flags, const struct itimerspec *time,
            struct itimerspec *old)
SIM_WRAPPED(int, epoll_create1, int flags)
SIM_WRAPPED(int, epoll_ctl, int set, int operation, int fd, struct epoll_event *event)
SIM_WRAPPED(int, epoll_wait, int set, struct epoll_event *events, int max, int timeout_ms)
SIM_WRAPPED(int, poll, struct pollfd *fds, nfds_t count, int timeout_ms)
SIM_WRAPPED(int, ppoll, struct pollfd *fds, nfds_t count, const struct timespec *timeout,
            const sigset_t *mask)
SIM_WRAPPED(int, close, int fd)
SIM_WRAPPED(ssize_t, read, int fd, void *bytes, size_t size)
SIM_WRAPPED(ssize_t, write, int fd, const void *bytes, size_t size)
SIM_WRAPPED(int, fcntl, int fd, int command, ...)
SIM_WRAPPED(int, socket, int domain, int type, int protocol)
SIM_WRAPPED(int, bind, int fd, const struct sockaddr *address, socklen_t size)
SIM_WRAPPED(int, listen, int fd, int backlog)
SIM_WRAPPED(int, accept4, int fd, struct sockaddr *address, socklen_t *size, int flags)
SIM_WRAPPED(int, connect, int fd, const struct sockaddr *address, socklen_t size)
SIM_WRAPPED(ssize_t, send, int fd, const void *bytes, size_t size, int flags)
SIM_WRAPPED(ssize_t, recv, int fd, void *bytes, size_t size, int flags)
SIM_WRAPPED(ssize_t, sendmsg, int fd, const struct msghdr *message, int flags)
SIM_WRAPPED(ssize_t, recvmsg, int fd, struct msghdr *message, int flags)
SIM_WRAPPED(int, shutdown, int fd, int how)
SIM_WRAPPED(int, setsockopt, int fd, int level, int option, const void *value, socklen_t size)
SIM_WRAPPED(int, getsockopt, int fd, int level, int option, void *value, socklen_t *size)
SIM_WRAPPED(int, getsockname, int fd, struct sockaddr *address, socklen_t *size)
SIM_WRAPPED(int, getpeername, int fd, struct sockaddr *address, socklen_t *size)
SIM_WRAPPED(int, shmget, key_t key, size_t bytes, int flags)
SIM_WRAPPED(void *, shmat, int id, const void *at, int flags)
SIM_WRAPPED(int, shmdt, const void *memory)
SIM_WRAPPED(int, shmctl, int id, int command, struct shmid_ds *about)
SIM_WRAPPED(long, syscall, long number, ...)

#endif
