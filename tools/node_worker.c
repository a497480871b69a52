/* Starts a worker, gives it its peer's connection, reads its messages, and kills it when its
 * time is over. */
#include "node_worker.h"

#include "node_say.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <tc/advanced.h>

/* Time that a worker has to end after its peer has gone, or after it has reported its end or a
 * crash. */
#define LINGER_NS 5000000000ull
/* More messages than a socket holds: a process that a function started may go on writing. */
#define LAST_MESSAGES_MAX 4096u
#define OWN_FDS_MIN 16 /* above the numbers of a worker's descriptors */

extern char **environ;

/* --- start -------------------------------------------------------------------------------- */

/* Moves a descriptor to OWN_FDS_MIN or above, and closes the old one. */
static int moved_up(int fd)
{
    int moved = fd >= 0 ? fcntl(fd, F_DUPFD_CLOEXEC, OWN_FDS_MIN) : -1;
    int problem = errno;
    if (fd >= 0)
        (void)close(fd);
    errno = problem;
    return moved;
}

/* A node passes SIGHUP on also to a process that does not catch it yet, which would end, and
 * the others may be sent to all processes of that name. They wait for node_catch_signals. */
static void block_signals(posix_spawnattr_t *attributes)
{
    sigset_t mask;
    (void)pthread_sigmask(SIG_BLOCK, NULL, &mask);
    sigaddset(&mask, SIGHUP);
    sigaddset(&mask, SIGUSR1);
    sigaddset(&mask, SIGUSR2);
    (void)posix_spawnattr_setsigmask(attributes, &mask);
}

static int spawn(char **argv, int channel, int counters, pid_t *pid_out)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int e = posix_spawn_file_actions_init(&actions);
    if (e != 0)
        return e;
    e = posix_spawnattr_init(&attributes);
    if (e == 0) {
        (void)posix_spawnattr_setflags(&attributes,
                                       POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
        (void)posix_spawnattr_setpgroup(&attributes, 0);
        block_signals(&attributes);
        e = posix_spawn_file_actions_adddup2(&actions, channel, NODE_REPORT_CHANNEL);
        if (e == 0)
            e = posix_spawn_file_actions_adddup2(&actions, counters, NODE_REPORT_COUNTERS);
        if (e == 0)
            e = posix_spawn_file_actions_addclosefrom_np(&actions, NODE_REPORT_COUNTERS + 1);
        if (e == 0)
            e = posix_spawn(pid_out, "/proc/self/exe", &actions, &attributes, argv, environ);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return e;
}

/* Starts the program with its own arguments after --worker, which names this process. */
static int spawn_worker(char **argv, int channel, int counters, pid_t *pid_out)
{
    char option[40];
    size_t count = 0;
    while (argv[count] != NULL)
        count++;
    char **with_option = calloc(count + 2, sizeof *with_option);
    if (with_option == NULL)
        return ENOMEM;
    (void)snprintf(option, sizeof option, "--worker=%ld", (long)getpid());
    with_option[0] = argv[0];
    with_option[1] = option;
    memcpy(with_option + 2, argv + 1, count * sizeof *argv);
    int e = spawn(with_option, channel, counters, pid_out);
    free(with_option);
    return e;
}

static int open_counters(void)
{
    int file = moved_up(memfd_create("tc-node-counters", MFD_CLOEXEC));
    if (file >= 0 && ftruncate(file, sizeof(node_counters)) != 0) {
        (void)close(file);
        return -1;
    }
    return file;
}

int node_worker_start(char **argv, node_worker *worker_out)
{
    node_worker worker = {.connection = -1, .pidfd = -1, .counters = -1};
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        return 0;
    worker.channel = moved_up(ends[0]);
    int theirs = moved_up(ends[1]);
    worker.counters = open_counters();
    int problem = errno;
    if (worker.channel >= 0 && theirs >= 0 && worker.counters >= 0)
        problem = spawn_worker(argv, theirs, worker.counters, &worker.pid);
    if (theirs >= 0)
        (void)close(theirs);
    if (worker.pid == 0) {
        if (worker.channel >= 0)
            (void)close(worker.channel);
        if (worker.counters >= 0)
            (void)close(worker.counters);
        errno = problem;
        return 0;
    }
    worker.pidfd = (int)syscall(SYS_pidfd_open, worker.pid, 0);
    *worker_out = worker;
    return 1;
}

/* --- its peer ----------------------------------------------------------------------------- */

bool node_worker_give(node_worker *worker, int connection, const char *peer)
{
    union {
        char bytes[CMSG_SPACE(sizeof(int))];
        struct cmsghdr align;
    } control = {{0}};
    char byte = 0;
    struct iovec part = {.iov_base = &byte, .iov_len = sizeof byte};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = &control,
                             .msg_controllen = sizeof control};
    struct cmsghdr *rights = CMSG_FIRSTHDR(&message);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(sizeof connection);
    memcpy(CMSG_DATA(rights), &connection, sizeof connection);
    worker->connection = connection;
    (void)snprintf(worker->peer, sizeof worker->peer, "%s", peer);
    return sendmsg(worker->channel, &message, MSG_NOSIGNAL | MSG_DONTWAIT) == 1;
}

/* --- watching ----------------------------------------------------------------------------- */

void node_worker_watch(const node_worker *worker, struct pollfd *fds)
{
    fds[0] = (struct pollfd){.fd = worker->pidfd, .events = POLLIN};
    fds[1] =
        (struct pollfd){.fd = worker->reports_ended ? -1 : worker->channel, .events = POLLIN};
    fds[2] = (struct pollfd){.fd = worker->peer_has_gone ? -1 : worker->connection,
                             .events = POLLRDHUP};
}

static void kill_at(node_worker *worker, uint64_t when_ns)
{
    if (worker->kill_ns == 0 || when_ns < worker->kill_ns)
        worker->kill_ns = when_ns;
}

/* Keeps the first reason and makes it printable: functions of an untrusted peer may have
 * written it. */
static void keep_reason(node_worker *worker, const char *text, size_t size)
{
    if (worker->reason[0] != '\0' || size >= sizeof worker->reason)
        return;
    for (size_t i = 0; i < size; i++)
        worker->reason[i] = text[i];
    for (size_t i = 0; i < size; i++) {
        if (worker->reason[i] < ' ' || worker->reason[i] > '~')
            worker->reason[i] = '?';
    }
    worker->reason[size] = '\0';
}

/* Reads one message. Returns false if there are no more. */
static bool take_message(node_worker *worker, uint64_t now_ns)
{
    char message[1 + NODE_REPORT_TEXT_MAX];
    ssize_t size = recv(worker->channel, message, sizeof message, MSG_DONTWAIT);
    if (size <= 0)
        return false;
    switch (message[0]) {
    case NODE_READY:
        worker->ready = true;
        return true;
    case NODE_DONE:
        worker->done = true;
        kill_at(worker, now_ns + LINGER_NS);
        return true;
    case NODE_CRASHED:
        keep_reason(worker, message + 1, (size_t)size - 1);
        kill_at(worker, now_ns + LINGER_NS);
        return true;
    case NODE_LONG_CALL:
        keep_reason(worker, message + 1, (size_t)size - 1);
        worker->made_long_call = true;
        kill_at(worker, now_ns);
        return true;
    default:
        return true;
    }
}

/* It has ended, or cannot report any more. One whose work is done closes the channel with its
 * context, shortly before it ends. */
static void end_reports(node_worker *worker, uint64_t now_ns)
{
    worker->reports_ended = true;
    kill_at(worker, worker->done ? now_ns + LINGER_NS : now_ns);
}

bool node_worker_look(node_worker *worker, const struct pollfd *fds, uint64_t now_ns)
{
    siginfo_t info = {0};
    if (fds[1].revents & POLLIN)
        (void)take_message(worker, now_ns); /* one at a time, as others are to be served, too */
    else if (fds[1].revents != 0)
        end_reports(worker, now_ns);
    if (fds[2].revents != 0) {
        worker->peer_has_gone = true;
        kill_at(worker, now_ns + LINGER_NS);
    }
    if (worker->kill_ns != 0 && now_ns >= worker->kill_ns)
        (void)kill(-worker->pid, SIGKILL);
    if (worker->pidfd >= 0)
        return fds[0].revents != 0;
    return waitid(P_PID, (id_t)worker->pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
           info.si_pid != 0;
}

void node_worker_stop(node_worker *worker, uint64_t kill_ns)
{
    (void)kill(worker->pid, SIGTERM);
    worker->done = true; /* however it ends now, its peer sees this node's end */
    kill_at(worker, kill_ns);
}

/* --- its end ------------------------------------------------------------------------------ */

void node_worker_add_counters(const node_worker *worker, node_counters *sum)
{
    node_counters counters;
    if (pread(worker->counters, &counters, sizeof counters, 0) == (ssize_t)sizeof counters)
        node_counters_add(sum, &counters);
}

static void describe_end(const node_worker *worker, const siginfo_t *end, char *text,
                         size_t size)
{
    if (worker->reason[0] != '\0')
        (void)snprintf(text, size, "%s", worker->reason);
    else if (worker->peer_has_gone && end->si_code != CLD_EXITED && end->si_status == SIGKILL)
        (void)snprintf(text, size, "a function still ran long after its peer had gone");
    else if (end->si_code == CLD_EXITED)
        (void)snprintf(text, size, "the process that ran its functions ended with status %d",
                       end->si_status);
    else
        (void)snprintf(text, size, "the process that ran its functions ended by signal %d",
                       end->si_status);
}

/* Returns whether it ended in order. One that got SIGTERM before it could catch that had served
 * nothing. */
static bool part_from_peer(const node_worker *worker, tc_context *ctx, const siginfo_t *end,
                           node_counters *sum)
{
    const struct linger none = {0};
    char how[sizeof worker->reason + 64];
    /* A function may have set SO_LINGER so that closing would wait for as long as the peer
     * likes. */
    (void)setsockopt(worker->connection, SOL_SOCKET, SO_LINGER, &none, sizeof none);
    describe_end(worker, end, how, sizeof how);
    const bool in_order = end->si_code == CLD_EXITED
                              ? end->si_status == 0
                              : !worker->ready && end->si_status == SIGTERM;
    if (!worker->done || !in_order)
        node_say(NODE_WARNING, "process %ld of peer %s has ended: %s", (long)worker->pid,
                 worker->peer, how);
    if (worker->done) {
        (void)close(worker->connection);
        return in_order;
    }
    tc_connection_end(ctx, worker->connection, how);
    node_counters_count(sum, "endpoints_failed");
    if (worker->made_long_call)
        node_counters_count(sum, "calls_long");
    return in_order;
}

bool node_worker_collect(node_worker *worker, tc_context *ctx, node_counters *sum)
{
    siginfo_t end = {0};
    bool in_order = true;
    /* While it is a zombie, its number is not reused, here and at its peer. */
    (void)kill(-worker->pid, SIGKILL);
    (void)waitid(P_PID, (id_t)worker->pid, &end, WEXITED | WNOWAIT);
    for (unsigned i = 0; i < LAST_MESSAGES_MAX && take_message(worker, 0); i++)
        ;
    node_worker_add_counters(worker, sum);
    if (worker->connection >= 0)
        in_order = part_from_peer(worker, ctx, &end, sum);
    (void)waitpid(worker->pid, NULL, 0);
    (void)close(worker->channel);
    (void)close(worker->counters);
    if (worker->pidfd >= 0)
        (void)close(worker->pidfd);
    return in_order;
}
