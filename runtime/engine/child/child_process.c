/* The child is spawned with a socket pair and a memory file for its standard error. Every wait
 * for it is a poll with a deadline. */
#include "child_process.h"

#include "base/clock.h"
#include "base/error_text.h"
#include "base/printable.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Time until a cancelled wait for a child is noticed. */
#define SMALL_BYTES 16384u
#define CANCEL_MS 50
/* Time that a child that closed its socket may take to end. */
#define LET_END_MS 1000
/* Extensions of a deadline for a child of low priority. Beside one busy thread per processor it
 * gets 15 of 1039 parts (sched(7), nice 19 and 0). */
#define GRANTS_MAX 64

extern char **environ;

/* --- start -------------------------------------------------------------------------------- */

/* Moves a descriptor out of the child's own numbers, which must stay free: a program that
 * closed its standard streams gets those for the next files that it opens. */
static int above_standard(int fd)
{
    if (fd < 0 || fd > TCI_CHILD_SOCKET)
        return fd;
    int moved = fcntl(fd, F_DUPFD_CLOEXEC, TCI_CHILD_SOCKET + 1);
    int problem = errno;
    close(fd);
    errno = problem;
    return moved;
}

static tc_status open_socket(int ends[2], tc_error *err)
{
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return tci_error_errno(err, TC_E_IO, errno, "socket for a child process");
    ends[0] = above_standard(ends[0]);
    ends[1] = above_standard(ends[1]);
    if (ends[0] >= 0 && ends[1] >= 0)
        return TC_OK;
    tci_error_fill_errno(err, TC_E_IO, errno, "socket for a child process");
    if (ends[0] >= 0)
        close(ends[0]);
    if (ends[1] >= 0)
        close(ends[1]);
    return TC_E_IO;
}

static int add_actions(posix_spawn_file_actions_t *actions, int socket, int diagnostics)
{
    int e = posix_spawn_file_actions_addopen(actions, 0, "/dev/null", O_RDONLY, 0);
    if (e == 0)
        e = posix_spawn_file_actions_addopen(actions, 1, "/dev/null", O_WRONLY, 0);
    if (e == 0)
        e = posix_spawn_file_actions_adddup2(actions, diagnostics, 2);
    if (e == 0)
        e = posix_spawn_file_actions_adddup2(actions, socket, TCI_CHILD_SOCKET);
    if (e == 0)
        e = posix_spawn_file_actions_addclosefrom_np(actions, TCI_CHILD_SOCKET + 1);
    return e;
}

static int set_signals(posix_spawnattr_t *attributes)
{
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    int e =
        posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    if (e == 0)
        e = posix_spawnattr_setsigmask(attributes, &none);
    if (e == 0)
        e = posix_spawnattr_setsigdefault(attributes, &all);
    return e;
}

/* Returns whether the loader, an emulator or sanitizers use the variable. All else may be a
 * secret of the application's, and the child has no use for it. */
static bool is_passed_on(const char *variable)
{
    static const char *const prefixes[] = {"LD_",   "GLIBC_TUNABLES=", "MALLOC_", "ASAN_",
                                           "LSAN_", "TSAN_",           "UBSAN_",  "QEMU_",
                                           "GCOV_", "LLVM_PROFILE_",   "PATH="};
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
        if (strncmp(variable, prefixes[i], strlen(prefixes[i])) == 0)
            return true;
    }
    return false;
}

/* Returns an array for free(); NULL without memory. */
static char **choose_environment(void)
{
    size_t count = 0, chosen = 0;
    while (environ != NULL && environ[count] != NULL)
        count++;
    /* bound: RLIMIT_STACK */
    char **variables = calloc(count + 1, sizeof *variables);
    for (size_t i = 0; variables != NULL && i < count; i++) {
        if (is_passed_on(environ[i]))
            variables[chosen++] = environ[i];
    }
    return variables;
}

static int spawn(char *const argv[], int socket, int diagnostics, pid_t *pid_out)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    char **variables = choose_environment();
    if (variables == NULL)
        return ENOMEM;
    int e = posix_spawn_file_actions_init(&actions);
    if (e != 0) {
        free(variables);
        return e;
    }
    e = posix_spawnattr_init(&attributes);
    if (e == 0) {
        e = add_actions(&actions, socket, diagnostics);
        if (e == 0)
            e = set_signals(&attributes);
        if (e == 0)
            /* bound: compile_threads */
            e = posix_spawn(pid_out, argv[0], &actions, &attributes, argv, variables);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    free(variables);
    return e;
}

static tc_status spawn_status(int problem, const char *program, tc_error *err)
{
    switch (problem) {
    case 0:
        return TC_OK;
    case ENOENT:
        return tci_error_errno(err, TC_E_NOT_FOUND, problem, "%s", program);
    case ENOEXEC:
        return tci_error_errno(err, TC_E_UNSUPPORTED, problem, "%s", program);
    default:
        return tci_error_errno(err, TC_E_IO, problem, "%s", program);
    }
}

tc_status tci_child_start(char *const argv[], tci_child *child_out, tc_error *err)
{
    tci_child child = {.parent = getpid()};
    int ends[2];
    TC_TRY(open_socket(ends, err));
    child.socket = ends[0];
    child.diagnostics = above_standard(memfd_create("child-diagnostics", MFD_CLOEXEC));
    tc_status status = TC_OK;
    if (child.diagnostics < 0)
        status = tci_error_errno(err, TC_E_IO, errno, "memory for a child's errors");
    else
        status =
            spawn_status(spawn(argv, ends[1], child.diagnostics, &child.pid), argv[0], err);
    close(ends[1]);
    if (status != TC_OK) {
        if (child.diagnostics >= 0)
            close(child.diagnostics);
        close(child.socket);
        return status;
    }
    /* Linux 5.3: names this child for ever, even after another thread has collected it. */
    child.pidfd = (int)syscall(SYS_pidfd_open, child.pid, 0);
    *child_out = child;
    return TC_OK;
}

/* --- end ---------------------------------------------------------------------------------- */

/* A filter may let another process answer the call (seccomp_unotify(2)). A signal that comes
 * meanwhile then interrupts the call without killing the child, so it is repeated. */
static void kill_child(const tci_child *child)
{
    long e;
    do
        e = child->pidfd >= 0 ? syscall(SYS_pidfd_send_signal, child->pidfd, SIGKILL, NULL, 0)
                              : kill(child->pid, SIGKILL);
    while (e != 0 && errno == EINTR);
}

static int collect(const tci_child *child)
{
    int status;
    pid_t found;
    do
        found = waitpid(child->pid, &status, 0);
    while (found < 0 && errno == EINTR);
    return found == child->pid ? status : -1;
}

int tci_child_end(const tci_child *child)
{
    if (child->parent != getpid())
        return -1;
    kill_child(child);
    return collect(child);
}

void tci_child_close(tci_child *child)
{
    if (child->pidfd >= 0)
        close(child->pidfd);
    close(child->diagnostics);
    close(child->socket);
}

static bool poll_end(const tci_child *child, int timeout_ms)
{
    struct pollfd ended = {.fd = child->pidfd, .events = POLLIN};
    return poll(&ended, 1, timeout_ms) == 1;
}

void tci_child_let_end(const tci_child *child)
{
    siginfo_t info = {0};
    if (child->pidfd >= 0) {
        (void)poll_end(child, LET_END_MS);
        return;
    }
    const struct timespec pause = {.tv_nsec = 1000000};
    for (int i = 0; i < LET_END_MS; i++) {
        if (waitid(P_PID, (id_t)child->pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
            info.si_pid != 0)
            return;
        (void)nanosleep(&pause, NULL);
    }
}

bool tci_child_has_ended(const tci_child *child)
{
    struct pollfd end = {.fd = child->socket, .events = POLLIN | POLLRDHUP};
    return child->parent != getpid() || (child->pidfd >= 0 && poll_end(child, 0)) ||
           poll(&end, 1, 0) != 0;
}

/* --- talk --------------------------------------------------------------------------------- */

static int timeout_ms(uint64_t deadline_ns)
{
    uint64_t left_ns = tci_deadline_left_ns(deadline_ns);
    uint64_t left_ms = left_ns / TCI_NS_PER_MS + (left_ns % TCI_NS_PER_MS != 0);
    return left_ms > INT_MAX ? INT_MAX : (int)left_ms;
}

static bool is_cancelled(const tci_child *child)
{
    return child->cancelled != NULL &&
           atomic_load_explicit(child->cancelled, memory_order_relaxed);
}

/* Returns the child's processor time; UINT64_MAX: unknown, as in an emulator. */
static uint64_t own_time_ns(const tci_child *child)
{
    clockid_t clock;
    struct timespec own;
    if (clock_getcpuclockid(child->pid, &clock) != 0 || clock_gettime(clock, &own) != 0)
        return UINT64_MAX;
    return (uint64_t)own.tv_sec * TCI_NS_PER_S + (uint64_t)own.tv_nsec;
}

void tci_child_allow(tci_child *child, uint64_t own_ns)
{
    const uint64_t now_ns = own_time_ns(child);
    child->own_end_ns = now_ns < UINT64_MAX - own_ns ? now_ns + own_ns : 0;
}

static uint64_t own_time_left_ns(const tci_child *child)
{
    const uint64_t now_ns = child->own_end_ns != 0 ? own_time_ns(child) : UINT64_MAX;
    return now_ns < child->own_end_ns ? child->own_end_ns - now_ns : 0;
}

/* Waits until the socket is ready. The child's end counts once the socket has no more data:
 * another process may have inherited the child's end of it. */
static tc_status await(const tci_child *child, short events, uint64_t deadline_ns)
{
    for (unsigned grants = 0;;) {
        struct pollfd fds[2] = {{.fd = child->socket, .events = events},
                                {.fd = child->pidfd, .events = POLLIN}};
        int left = timeout_ms(deadline_ns);
        if (child->cancelled != NULL && left > CANCEL_MS)
            left = CANCEL_MS;
        int ready = poll(fds, 2, left);
        if (ready < 0 && errno != EINTR)
            return TC_E_PEER_LOST;
        if (ready > 0 && fds[0].revents != 0)
            return TC_OK;
        if (ready > 0)
            return TC_E_PEER_LOST;
        if (is_cancelled(child))
            return TC_E_CLOSED;
        if (ready == 0 && tci_deadline_left_ns(deadline_ns) == 0) {
            uint64_t left_ns = own_time_left_ns(child);
            if (left_ns == 0 || grants++ == GRANTS_MAX)
                return TC_E_TIMEOUT;
            deadline_ns = tci_deadline_after(left_ns);
        }
    }
}

static void skip(struct iovec *parts, size_t *first, size_t count, size_t n)
{
    while (*first < count && n >= parts[*first].iov_len)
        n -= parts[(*first)++].iov_len;
    if (*first < count) {
        parts[*first].iov_base = (char *)parts[*first].iov_base + n;
        parts[*first].iov_len -= n;
    }
}

/* Makes small parts one: each send wakes the child, which sleeps again before the next. */
static void gather(struct iovec *parts, size_t count, uint8_t *small, size_t capacity)
{
    size_t size = 0;
    for (size_t i = 0; i < count; i++) {
        if (parts[i].iov_len > capacity - size)
            return;
        size += parts[i].iov_len;
    }
    uint8_t *at = small;
    for (size_t i = 0; i < count; i++) {
        at = (uint8_t *)memcpy(at, parts[i].iov_base, parts[i].iov_len) + parts[i].iov_len;
        parts[i].iov_len = 0;
    }
    if (count > 0)
        parts[0] = (struct iovec){small, size};
}

tc_status tci_child_send(const tci_child *child, struct iovec *parts, size_t count,
                         uint64_t deadline_ns)
{
    uint8_t small[SMALL_BYTES];
    size_t first = 0;
    gather(parts, count, small, sizeof small);
    skip(parts, &first, count, 0);
    while (first < count) {
        /* Sends part by part: a confined node may not make the call that takes several. */
        ssize_t n = send(child->socket, parts[first].iov_base, parts[first].iov_len,
                         MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n >= 0)
            skip(parts, &first, count, (size_t)n);
        else if (errno == EAGAIN || errno == EWOULDBLOCK)
            TC_TRY(await(child, POLLOUT, deadline_ns));
        else if (errno != EINTR)
            return TC_E_PEER_LOST;
    }
    return TC_OK;
}

tc_status tci_child_receive(const tci_child *child, void *bytes, size_t size,
                            uint64_t deadline_ns)
{
    size_t have = 0;
    while (have < size) {
        ssize_t n = recv(child->socket, (char *)bytes + have, size - have, MSG_DONTWAIT);
        if (n > 0)
            have += (size_t)n;
        else if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            TC_TRY(await(child, POLLIN, deadline_ns));
        else if (n == 0 || errno != EINTR)
            return TC_E_PEER_LOST;
    }
    return TC_OK;
}

/* --- its diagnostics -----------------------------------------------------------------------
 */

size_t tci_child_diagnostics_size(const tci_child *child)
{
    struct stat facts;
    return fstat(child->diagnostics, &facts) == 0 ? (size_t)facts.st_size : 0;
}

void tci_child_diagnostics(const tci_child *child, size_t from, char *line, size_t size)
{
    ssize_t n = pread(child->diagnostics, line, size - 1, (off_t)from);
    size_t length = n > 0 ? (size_t)n : 0;
    while (length > 0 && line[length - 1] == '\n')
        length--;
    line[length] = '\0';
    for (char *at = line; (at = strchr(at, '\n')) != NULL;)
        *at = ';';
    tci_printable_text(line, size);
}
