/* The node sends the filter's descriptor through a socket. The warden receives the kernel's
 * questions from it and answers them. */
#include "node_warden.h"

#include "node_errand.h"
#include "node_request.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define CHANNEL 3

/* --- the channel -------------------------------------------------------------------------- */

typedef union control_space {
    char bytes[CMSG_SPACE(sizeof(int))];
    struct cmsghdr align;
} control_space;

static void prepare(struct msghdr *message, struct iovec *part, char *byte,
                    control_space *control)
{
    *part = (struct iovec){.iov_base = byte, .iov_len = 1};
    *message = (struct msghdr){.msg_iov = part,
                               .msg_iovlen = 1,
                               .msg_control = control,
                               .msg_controllen = sizeof *control};
}

static int send_descriptor(int channel, int fd)
{
    control_space control = {{0}};
    struct msghdr message;
    struct iovec part;
    char byte = 0;
    prepare(&message, &part, &byte, &control);
    struct cmsghdr *rights = CMSG_FIRSTHDR(&message);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(sizeof fd);
    memcpy(CMSG_DATA(rights), &fd, sizeof fd);
    return sendmsg(channel, &message, MSG_NOSIGNAL) == 1;
}

/* Returns -1 if it will never come. */
static int receive_descriptor(int channel)
{
    control_space control;
    struct msghdr message;
    struct iovec part;
    char byte;
    int fd;
    prepare(&message, &part, &byte, &control);
    if (recvmsg(channel, &message, MSG_CMSG_CLOEXEC) != 1)
        return -1;
    struct cmsghdr *rights = CMSG_FIRSTHDR(&message);
    if (rights == NULL || rights->cmsg_type != SCM_RIGHTS)
        return -1;
    memcpy(&fd, CMSG_DATA(rights), sizeof fd);
    return fd;
}

/* --- answering ---------------------------------------------------------------------------- */

static void reply(int listener, uint64_t id, const node_opened *opened)
{
    struct seccomp_notif_resp answer = {.id = id};
    if (opened->fd >= 0) {
        struct seccomp_notif_addfd give = {.id = id,
                                           .flags = SECCOMP_ADDFD_FLAG_SEND,
                                           .srcfd = (uint32_t)opened->fd,
                                           .newfd_flags =
                                               opened->close_on_exec ? O_CLOEXEC : 0};
        int given = ioctl(listener, SECCOMP_IOCTL_NOTIF_ADDFD, &give);
        int problem = errno;
        (void)close(opened->fd);
        if (given >= 0 || problem == ENOENT) /* the caller has gone */
            return;
        answer.error = -problem;
    } else {
        answer.error = -opened->problem;
    }
    (void)ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
}

static void reply_errand(int listener, uint64_t id, const node_errand_end *end)
{
    struct seccomp_notif_resp answer = {.id = id,
                                        .val = end->problem == 0 ? end->result : 0,
                                        .error = -end->problem,
                                        .flags = end->goes_on ? SECCOMP_USER_NOTIF_FLAG_CONTINUE
                                                              : 0};
    (void)ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
}

/* Returns whether the caller still waits. If not, its number may be another process's by now,
 * whose memory was read. */
static bool still_asks(int listener, const struct seccomp_notif *question)
{
    return ioctl(listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &question->id) == 0;
}

static void answer_errand(int listener, const struct seccomp_notif *question, int problem,
                          const node_errand *errand)
{
    node_errand_end end = {.problem = problem};
    if (!still_asks(listener, question))
        return;
    if (problem == 0)
        node_errand_do(errand, &end);
    reply_errand(listener, question->id, &end);
}

static void answer_request(int listener, const struct seccomp_notif *question,
                           const node_paths *paths, pid_t node)
{
    node_request request;
    node_opened opened = {.fd = -1};
    opened.problem = node_request_read(&question->data, (pid_t)question->pid, node, &request);
    if (!still_asks(listener, question))
        return;
    if (opened.problem == 0)
        node_request_do(&request, paths, &opened);
    reply(listener, question->id, &opened);
}

/* Answers one question. Returns 0 if no process is left that could ask. */
static int answer_next(int listener, const node_paths *paths, pid_t node)
{
    struct pollfd asked = {.fd = listener, .events = POLLIN};
    struct seccomp_notif question;
    node_errand errand = {0};
    if (poll(&asked, 1, -1) < 0 && errno != EINTR)
        return 0;
    if (!(asked.revents & POLLIN))
        return !(asked.revents & (POLLHUP | POLLERR | POLLNVAL));
    memset(&question, 0, sizeof question); /* required by the kernel */
    if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &question) != 0)
        return errno == EINTR || errno == ENOENT;
    int problem = node_errand_read(&question.data, (pid_t)question.pid, node, &errand);
    if (problem != 0 || errand.call != 0)
        answer_errand(listener, &question, problem, &errand);
    else
        answer_request(listener, &question, paths, node);
    return 1;
}

static void serve(int channel, const node_paths *paths, pid_t node)
{
    /* The warden ends with the node, and signals of a terminal are for the node. */
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    (void)signal(SIGINT, SIG_IGN);
    (void)signal(SIGTERM, SIG_IGN);
    if (getppid() != node)
        return;
    int listener = receive_descriptor(channel);
    while (listener >= 0 && answer_next(listener, paths, node))
        ;
}

/* --- start -------------------------------------------------------------------------------- */

int node_warden_start(const node_paths *paths, node_warden *warden_out)
{
    int ends[2];
    pid_t node = getpid();
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        return 0;
    pid_t pid = fork();
    if (pid == 0) {
        (void)dup2(ends[1], CHANNEL);
        (void)close_range(CHANNEL + 1, ~0u, 0);
        serve(CHANNEL, paths, node);
        _exit(0);
    }
    int problem = errno;
    (void)close(ends[1]);
    if (pid < 0) {
        (void)close(ends[0]);
        errno = problem;
        return 0;
    }
    /* Lets the warden read names in the node's memory, also where Yama allows that to parents
     * only. */
    (void)prctl(PR_SET_PTRACER, (unsigned long)pid, 0, 0, 0);
    *warden_out = (node_warden){.pid = pid, .channel = ends[0]};
    return 1;
}

int node_warden_watch(node_warden *warden, int listener)
{
    int sent = send_descriptor(warden->channel, listener);
    int problem = errno;
    (void)close(listener);
    (void)close(warden->channel);
    errno = problem;
    return sent;
}
