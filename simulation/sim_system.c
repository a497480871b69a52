/* The system calls of nodes: the linker gives these to the library's objects, and to programs
 * that link with the options of tchains-sim.pc (-Wl,--wrap=NAME). Outside a node each is the
 * real one. A descriptor's number shows which call it needs. */
#include "sim_descriptor.h"
#include "sim_epoll.h"
#include "sim_segment.h"
#include "sim_socket.h"
#include "sim_step.h"
#include "sim_system.h"
#include "sim_word.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stdarg.h>
#include <string.h>
#include <sys/syscall.h>

#define EPOCH_S ((uint64_t)1700000000) /* of CLOCK_REALTIME */
#define NS_PER_S ((uint64_t)1000000000)
#define NS_PER_MS ((uint64_t)1000000)
#define YIELD_NS 1000u

static bool in_node(void)
{
    return sim_world_node() != NULL;
}

static uint64_t ns_of(const struct timespec *time)
{
    return (uint64_t)time->tv_sec * NS_PER_S + (uint64_t)time->tv_nsec;
}

static uint64_t ns_of_ms(int ms)
{
    return ms < 0 ? UINT64_MAX : (uint64_t)(unsigned)ms * NS_PER_MS;
}

/* --- time -------------------------------------------------------------------------------- */

int __wrap_clock_gettime(clockid_t clock, struct timespec *time)
{
    if (!in_node())
        return __real_clock_gettime(clock, time);
    uint64_t ns = sim_world_read_clock();
    if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)
        ns += EPOCH_S * NS_PER_S;
    *time =
        (struct timespec){.tv_sec = (time_t)(ns / NS_PER_S), .tv_nsec = (long)(ns % NS_PER_S)};
    return 0;
}

time_t __wrap_time(time_t *out)
{
    if (!in_node())
        return __real_time(out);
    const time_t now = (time_t)(EPOCH_S + sim_world_read_clock() / NS_PER_S);
    if (out != NULL)
        *out = now;
    return now;
}

int __wrap_nanosleep(const struct timespec *time, struct timespec *left)
{
    if (!in_node())
        return __real_nanosleep(time, left);
    sim_world_sleep(ns_of(time));
    return 0;
}

int __wrap_usleep(useconds_t us)
{
    if (!in_node())
        return __real_usleep(us);
    sim_world_sleep((uint64_t)us * 1000);
    return 0;
}

unsigned __wrap_sleep(unsigned seconds)
{
    if (!in_node())
        return __real_sleep(seconds);
    sim_world_sleep(seconds * NS_PER_S);
    return 0;
}

int __wrap_sched_yield(void)
{
    if (!in_node())
        return __real_sched_yield();
    sim_world_sleep(YIELD_NS);
    return 0;
}

/* --- random numbers and identity --------------------------------------------------------- */

static void fill(void *bytes, size_t size)
{
    sim_random *random = &sim_world_node()->random;
    for (size_t at = 0; at < size; at += 8) {
        const uint64_t word = sim_random_next(random);
        for (size_t i = 0; i < 8 && at + i < size; i++)
            ((uint8_t *)bytes)[at + i] = (uint8_t)(word >> (8 * i)); /* on any machine */
    }
}

ssize_t __wrap_getrandom(void *bytes, size_t size, unsigned flags)
{
    if (!in_node())
        return __real_getrandom(bytes, size, flags);
    fill(bytes, size);
    return (ssize_t)size;
}

void __wrap_randombytes_buf(void *bytes, size_t size)
{
    if (in_node())
        fill(bytes, size);
    else
        __real_randombytes_buf(bytes, size);
}

/* All nodes of a host have one id, which no other host has. */
void __wrap_tci_host_id(uint8_t *id_out)
{
    const tc_sim_node *node = sim_world_node();
    if (node == NULL) {
        __real_tci_host_id(id_out);
        return;
    }
    memset(id_out, 0x5a, 16);
    for (unsigned i = 0; i < 4; i++)
        id_out[i] = (uint8_t)(node->host >> (8 * i));
}

/* One triple on every machine, as its length is in the messages that connect endpoints, and a
 * seed is to give the same world everywhere. */
const char *__wrap_tci_triple_host(void)
{
    return in_node() ? "x86_64-linux" : __real_tci_triple_host();
}

/* A node that is killed leaves its guards behind, and no node forks. */
void __wrap_tci_fork_guard_add(void *guard, void *give_up)
{
    if (!in_node())
        __real_tci_fork_guard_add(guard, give_up);
}

void __wrap_tci_fork_guard_remove(void *guard)
{
    if (!in_node())
        __real_tci_fork_guard_remove(guard);
}

/* --- descriptors ------------------------------------------------------------------------- */

static int bad_descriptor(void)
{
    errno = EBADF;
    return -1;
}

int __wrap_eventfd(unsigned initial, int flags)
{
    return in_node() ? sim_descriptor_eventfd(initial) : __real_eventfd(initial, flags);
}

int __wrap_timerfd_create(int clock, int flags)
{
    return in_node() ? sim_descriptor_timer() : __real_timerfd_create(clock, flags);
}

int __wrap_timerfd_settime(int fd, int flags, const struct itimerspec *time,
                           struct itimerspec *old)
{
    if (!sim_descriptor_is(fd))
        return __real_timerfd_settime(fd, flags, time, old);
    sim_descriptor *descriptor = sim_descriptor_of(fd);
    const uint64_t ns = ns_of(&time->it_value);
    if (descriptor == NULL)
        return bad_descriptor();
    const bool absolute = (flags & TFD_TIMER_ABSTIME) != 0;
    sim_descriptor_timer_set(descriptor,
                             ns == 0 || absolute ? ns : ns + sim_world_node()->local_ns);
    return 0;
}

int __wrap_epoll_create1(int flags)
{
    return in_node() ? sim_epoll_create() : __real_epoll_create1(flags);
}

int __wrap_epoll_ctl(int set, int operation, int fd, struct epoll_event *event)
{
    return sim_descriptor_is(set) ? sim_epoll_change(set, operation, fd, event)
                                  : __real_epoll_ctl(set, operation, fd, event);
}

int __wrap_epoll_wait(int set, struct epoll_event *events, int max, int timeout_ms)
{
    return sim_descriptor_is(set) ? sim_epoll_wait(set, events, max, ns_of_ms(timeout_ms))
                                  : __real_epoll_wait(set, events, max, timeout_ms);
}

static bool are_simulated(const struct pollfd *fds, nfds_t count)
{
    return in_node() && (count == 0 || sim_descriptor_is(fds[0].fd));
}

int __wrap_poll(struct pollfd *fds, nfds_t count, int timeout_ms)
{
    return are_simulated(fds, count) ? sim_epoll_poll(fds, count, ns_of_ms(timeout_ms))
                                     : __real_poll(fds, count, timeout_ms);
}

int __wrap_ppoll(struct pollfd *fds, nfds_t count, const struct timespec *timeout,
                 const sigset_t *mask)
{
    return are_simulated(fds, count)
               ? sim_epoll_poll(fds, count, timeout != NULL ? ns_of(timeout) : UINT64_MAX)
               : __real_ppoll(fds, count, timeout, mask);
}

int __wrap_close(int fd)
{
    return sim_descriptor_is(fd) ? sim_descriptor_close(fd) : __real_close(fd);
}

/* A read or write that would wait does so for blocking descriptors. */
static ssize_t transfer(int fd, void *in, const void *out, size_t size, int flags)
{
    sim_world_step();
    for (;;) {
        sim_descriptor *descriptor = sim_descriptor_of(fd);
        if (descriptor == NULL)
            return bad_descriptor();
        const sim_descriptor_ops *ops = descriptor->ops;
        if (in != NULL ? ops->read == NULL : ops->write == NULL)
            return bad_descriptor();
        const ssize_t n = in != NULL ? ops->read(descriptor, in, size, flags)
                                     : ops->write(descriptor, out, size);
        if (n >= 0 || errno != EAGAIN || !descriptor->blocking || (flags & MSG_DONTWAIT) != 0)
            return n;
        sim_descriptor_await(descriptor);
        (void)sim_world_wait(UINT64_MAX);
    }
}

ssize_t __wrap_read(int fd, void *bytes, size_t size)
{
    return sim_descriptor_is(fd) ? transfer(fd, bytes, NULL, size, 0)
                                 : __real_read(fd, bytes, size);
}

ssize_t __wrap_write(int fd, const void *bytes, size_t size)
{
    return sim_descriptor_is(fd) ? transfer(fd, NULL, bytes, size, 0)
                                 : __real_write(fd, bytes, size);
}

int __wrap_fcntl(int fd, int command, ...)
{
    va_list list;
    va_start(list, command);
    const long argument = va_arg(list, long);
    va_end(list);
    if (!sim_descriptor_is(fd))
        return __real_fcntl(fd, command, argument);
    sim_descriptor *descriptor = sim_descriptor_of(fd);
    if (descriptor == NULL)
        return bad_descriptor();
    if (command == F_DUPFD_CLOEXEC || command == F_DUPFD)
        return sim_descriptor_duplicate(descriptor);
    if (command == F_SETFL)
        descriptor->blocking = (argument & O_NONBLOCK) == 0;
    return command == F_GETFL && !descriptor->blocking ? O_NONBLOCK : 0;
}

/* --- sockets ----------------------------------------------------------------------------- */

int __wrap_socket(int domain, int type, int protocol)
{
    return in_node() ? sim_socket_open(domain, type) : __real_socket(domain, type, protocol);
}

int __wrap_bind(int fd, const struct sockaddr *address, socklen_t size)
{
    return sim_descriptor_is(fd) ? sim_socket_bind(fd, address, size)
                                 : __real_bind(fd, address, size);
}

int __wrap_listen(int fd, int backlog)
{
    return sim_descriptor_is(fd) ? sim_socket_listen(fd, backlog) : __real_listen(fd, backlog);
}

int __wrap_accept4(int fd, struct sockaddr *address, socklen_t *size, int flags)
{
    return sim_descriptor_is(fd) ? sim_socket_accept(fd, address, size, flags)
                                 : __real_accept4(fd, address, size, flags);
}

int __wrap_connect(int fd, const struct sockaddr *address, socklen_t size)
{
    return sim_descriptor_is(fd) ? sim_socket_connect(fd, address, size)
                                 : __real_connect(fd, address, size);
}

ssize_t __wrap_send(int fd, const void *bytes, size_t size, int flags)
{
    return sim_descriptor_is(fd) ? transfer(fd, NULL, bytes, size, flags)
                                 : __real_send(fd, bytes, size, flags);
}

ssize_t __wrap_recv(int fd, void *bytes, size_t size, int flags)
{
    return sim_descriptor_is(fd) ? transfer(fd, bytes, NULL, size, flags)
                                 : __real_recv(fd, bytes, size, flags);
}

int __wrap_shutdown(int fd, int how)
{
    return sim_descriptor_is(fd) ? sim_socket_shutdown(fd, how) : __real_shutdown(fd, how);
}

int __wrap_setsockopt(int fd, int level, int option, const void *value, socklen_t size)
{
    return sim_descriptor_is(fd) ? 0 : __real_setsockopt(fd, level, option, value, size);
}

int __wrap_getsockopt(int fd, int level, int option, void *value, socklen_t *size)
{
    if (!sim_descriptor_is(fd))
        return __real_getsockopt(fd, level, option, value, size);
    if (level == IPPROTO_TCP && option == TCP_INFO && *size >= sizeof(struct tcp_info))
        return sim_socket_info(fd, value);
    const int result = option == SO_ERROR ? sim_socket_take_error(fd) : SOCK_STREAM;
    if (result < 0)
        return -1;
    memcpy(value, &result, sizeof result);
    *size = sizeof result;
    return 0;
}

int __wrap_getsockname(int fd, struct sockaddr *address, socklen_t *size)
{
    return sim_descriptor_is(fd) ? sim_socket_name(fd, false, address, size)
                                 : __real_getsockname(fd, address, size);
}

int __wrap_getpeername(int fd, struct sockaddr *address, socklen_t *size)
{
    return sim_descriptor_is(fd) ? sim_socket_name(fd, true, address, size)
                                 : __real_getpeername(fd, address, size);
}

/* --- shared memory ----------------------------------------------------------------------- */

int __wrap_shmget(key_t key, size_t bytes, int flags)
{
    return in_node() ? sim_segment_get(bytes) : __real_shmget(key, bytes, flags);
}

void *__wrap_shmat(int id, const void *at, int flags)
{
    return in_node() ? sim_segment_attach(id) : __real_shmat(id, at, flags);
}

int __wrap_shmdt(const void *memory)
{
    return in_node() ? sim_segment_detach(memory) : __real_shmdt(memory);
}

int __wrap_shmctl(int id, int command, struct shmid_ds *about)
{
    return in_node() ? sim_segment_control(id, command, about)
                     : __real_shmctl(id, command, about);
}

/* --- calls by number --------------------------------------------------------------------- */

/* `value` is the word as a waiting caller has seen it, or how many fibers to wake. FUTEX_WAIT
 * has a time from now on, FUTEX_WAIT_BITSET one of the clock. */
static long futex(const uint32_t *word, int operation, uint32_t value,
                  const struct timespec *time)
{
    const int plain = operation & FUTEX_CMD_MASK;
    if (plain != FUTEX_WAIT && plain != FUTEX_WAIT_BITSET) {
        sim_word_wake(word, value);
        return 0;
    }
    if (__atomic_load_n(word, __ATOMIC_RELAXED) != value) {
        errno = EAGAIN;
        return -1;
    }
    const uint64_t from_ns = plain == FUTEX_WAIT ? sim_world_node()->local_ns : 0;
    if (sim_word_wait(word, time != NULL ? from_ns + ns_of(time) : UINT64_MAX))
        return 0;
    errno = ETIMEDOUT;
    return -1;
}

static long sleep_on_set(const long a[6])
{
    const struct timespec *timeout = (const struct timespec *)a[3]; // NOLINT: as the call
    return sim_epoll_wait((int)a[0], (struct epoll_event *)a[1], (int)a[2], // NOLINT: likewise
                          timeout != NULL ? ns_of(timeout) : UINT64_MAX);
}

long __wrap_syscall(long number, ...)
{
    long a[6];
    va_list list;
    va_start(list, number);
    for (unsigned i = 0; i < 6; i++)
        a[i] = va_arg(list, long);
    va_end(list);
    if (!in_node())
        return __real_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    switch (number) {
    case SYS_epoll_pwait2:
        return sleep_on_set(a);
    case SYS_futex:
        return futex((const uint32_t *)a[0], (int)a[1], (uint32_t)a[2], // NOLINT: as the call
                     (const struct timespec *)a[3]);                    // NOLINT: likewise
    case SYS_membarrier:
        sim_step_flush_all();
        return 0; /* one thread */
    default:
        return __real_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    }
}
