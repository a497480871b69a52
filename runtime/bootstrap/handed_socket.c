#include "bootstrap/handed_socket.h"

#include "base/error_text.h"
#include "wire/hello.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define DESCRIPTORS_MAX 4u /* taken from a message; the kernel closes the others */
#define READS_MAX 64u

typedef union control_space {
    char bytes[CMSG_SPACE(DESCRIPTORS_MAX * sizeof(int))];
    struct cmsghdr align;
} control_space;

/* Returns the only descriptor of a message, or -1. Closes all if there are several, as they are
 * this process's now. */
static int take_descriptor(struct msghdr *message)
{
    int taken = -1;
    unsigned count = 0;
    for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c != NULL; c = CMSG_NXTHDR(message, c)) {
        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
            continue;
        for (size_t at = 0; CMSG_LEN(at + sizeof taken) <= c->cmsg_len; at += sizeof taken) {
            if (taken >= 0)
                (void)close(taken);
            memcpy(&taken, CMSG_DATA(c) + at, sizeof taken);
            count++;
        }
    }
    if (count == 1)
        return taken;
    if (taken >= 0)
        (void)close(taken);
    return -1;
}

static bool is_connection(int fd, tci_host_address *peer_out)
{
    int type = 0, flags = fcntl(fd, F_GETFL);
    socklen_t type_size = sizeof type;
    peer_out->size = sizeof peer_out->storage;
    return getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &type_size) == 0 && type == SOCK_STREAM &&
           getpeername(fd, (struct sockaddr *)&peer_out->storage, &peer_out->size) == 0 &&
           (peer_out->storage.ss_family == AF_INET ||
            peer_out->storage.ss_family == AF_INET6) &&
           fcntl(fd, F_SETFL, flags | O_NONBLOCK) == 0;
}

tc_status tci_handed_socket_receive(int channel, int *fd_out, tci_host_address *peer_out,
                                    tc_error *err)
{
    char byte;
    control_space control;
    struct iovec part = {.iov_base = &byte, .iov_len = sizeof byte};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = &control,
                             .msg_controllen = sizeof control};
    ssize_t n = recvmsg(channel, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))
        return TC_E_AGAIN;
    if (n <= 0)
        return tci_error_set(err, TC_E_PEER_LOST, "who hands over connections has gone");
    int fd = take_descriptor(&message);
    if (fd < 0 && (message.msg_flags & MSG_CTRUNC))
        return tci_error_set(err, TC_E_IO,
                             "no descriptor for a connection that was handed over");
    if (fd < 0)
        return TC_E_AGAIN;
    if (!is_connection(fd, peer_out)) {
        (void)close(fd);
        return TC_E_AGAIN;
    }
    *fd_out = fd;
    return TC_OK;
}

void tci_handed_socket_end(int fd, const char *reason, bool may_speak)
{
    uint8_t bytes[TCI_HELLO_PREAMBLE_BYTES + 2 * TCI_HELLO_REFUSE_TEXT_MAX];
    size_t size;
    if (may_speak &&
        tci_hello_refuse_encode(TC_E_PEER_LOST, reason, bytes, sizeof bytes, &size) == TC_OK)
        (void)send(fd, bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT);
    (void)shutdown(fd, SHUT_WR);
    /* If unread bytes were left at the close, the kernel would discard the message sent. */
    for (unsigned i = 0; i < READS_MAX && recv(fd, bytes, sizeof bytes, MSG_DONTWAIT) > 0; i++)
        ;
    (void)close(fd);
}
