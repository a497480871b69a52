/* Calls that move several pieces of memory over a simulated connection. */
#include "sim_descriptor.h"
#include "sim_system.h"

/* Transfers the pieces one after the other until one is cut. An error behind a piece that was
 * transferred is reported by the next call. */
ssize_t __wrap_sendmsg(int fd, const struct msghdr *message, int flags)
{
    ssize_t all = 0, n = 0;
    if (!sim_descriptor_is(fd))
        return __real_sendmsg(fd, message, flags);
    for (size_t i = 0; i < message->msg_iovlen; i++) {
        const struct iovec *piece = &message->msg_iov[i];
        n = piece->iov_len > 0 ? __wrap_send(fd, piece->iov_base, piece->iov_len, flags) : 0;
        all += n > 0 ? n : 0;
        if (n < (ssize_t)piece->iov_len)
            break;
    }
    return all > 0 ? all : n;
}

ssize_t __wrap_recvmsg(int fd, struct msghdr *message, int flags)
{
    ssize_t all = 0, n = 0;
    if (!sim_descriptor_is(fd))
        return __real_recvmsg(fd, message, flags);
    for (size_t i = 0; i < message->msg_iovlen; i++) {
        const struct iovec *piece = &message->msg_iov[i];
        n = piece->iov_len > 0 ? __wrap_recv(fd, piece->iov_base, piece->iov_len, flags) : 0;
        all += n > 0 ? n : 0;
        if (n < (ssize_t)piece->iov_len)
            break;
    }
    return all > 0 ? all : n;
}
