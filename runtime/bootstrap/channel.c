#include "channel.h"

#include "base/error_text.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

void tci_channel_init(tci_channel *channel)
{
    channel->fd = -1;
    channel->peer[0] = '\0';
}

void tci_channel_close(tci_channel *channel)
{
    if (channel->fd >= 0)
        (void)close(channel->fd);
    channel->fd = -1;
}

void tci_channel_close_in_fork(tci_channel *channel)
{
    tci_channel_close(channel);
}

/* --- connecting -------------------------------------------------------------------------- */

/* Failing is harmless: these only make it quicker. */
static void tune(int fd)
{
    static const struct {
        int level;
        int option;
        int value;
    } settings[] = {
        {IPPROTO_TCP, TCP_NODELAY, 1},
        /* A machine that vanished sends no end of stream: ask after 10 s of silence, and give
           up after 4 questions. */
        {SOL_SOCKET, SO_KEEPALIVE, 1},
        {IPPROTO_TCP, TCP_KEEPIDLE, 10},
        {IPPROTO_TCP, TCP_KEEPINTVL, 5},
        {IPPROTO_TCP, TCP_KEEPCNT, 4},
    };
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++)
        (void)setsockopt(fd, settings[i].level, settings[i].option, &settings[i].value,
                         sizeof settings[i].value);
}

void tci_channel_adopt(tci_channel *channel, int fd, const tci_host_address *peer)
{
    channel->fd = fd;
    (void)tci_host_address_text(peer, channel->peer);
    tune(fd);
}

int tci_channel_connect(tci_channel *channel, const tci_host_address *address)
{
    (void)tci_host_address_text(address, channel->peer);
    tci_channel_close(channel);
    channel->fd =
        socket(address->storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (channel->fd < 0)
        return errno;
    tune(channel->fd);
    if (connect(channel->fd, (const struct sockaddr *)&address->storage, address->size) == 0)
        return 0;
    /* After a signal the connection goes on by itself, as if it had not come. */
    return errno == EINTR ? EINPROGRESS : errno;
}

/* On loopback the kernel may give a socket the very port it connects to, and TCP then joins it
 * to itself: nobody listens there. */
static bool is_joined_to_itself(int fd)
{
    struct sockaddr_storage own = {0};
    struct sockaddr_storage peer = {0};
    socklen_t own_size = sizeof own;
    socklen_t peer_size = sizeof peer;
    return getsockname(fd, (struct sockaddr *)&own, &own_size) == 0 &&
           getpeername(fd, (struct sockaddr *)&peer, &peer_size) == 0 &&
           own_size == peer_size && memcmp(&own, &peer, own_size) == 0;
}

int tci_channel_ask_connected(tci_channel *channel)
{
    struct pollfd ready = {.fd = channel->fd, .events = POLLOUT};
    if (poll(&ready, 1, 0) <= 0)
        return EINPROGRESS;
    int errnum = 0;
    socklen_t size = sizeof errnum;
    if (getsockopt(channel->fd, SOL_SOCKET, SO_ERROR, &errnum, &size) != 0)
        return errno;
    if (errnum == 0 && is_joined_to_itself(channel->fd))
        return ECONNREFUSED;
    return errnum;
}

tc_status tci_channel_handshake(tci_channel *channel, tc_error *err)
{
    (void)channel;
    (void)err;
    return TC_OK;
}

/* --- bytes ------------------------------------------------------------------------------- */

static bool would_block(int errnum)
{
    return errnum == EAGAIN || errnum == EWOULDBLOCK || errnum == EINTR;
}

static bool means_peer_lost(int errnum)
{
    return errnum == ECONNRESET || errnum == EPIPE || errnum == ETIMEDOUT ||
           errnum == EHOSTUNREACH || errnum == ENETUNREACH || errnum == ECONNREFUSED ||
           errnum == ENETDOWN || errnum == ECONNABORTED;
}

static tc_status socket_failed(const tci_channel *channel, int errnum, tc_error *err)
{
    if (errnum == ECONNRESET) /* a process that ends before it has read everything */
        return tci_error_errno(err, TC_E_PEER_LOST, errnum, "%s closed the connection",
                               channel->peer);
    return tci_error_errno(err, means_peer_lost(errnum) ? TC_E_PEER_LOST : TC_E_IO, errnum,
                           "connection to %s", channel->peer);
}

tc_status tci_channel_read(tci_channel *channel, void *bytes, size_t size, size_t *read_out,
                           bool *ended_out, tc_error *err)
{
    *ended_out = false;
    ssize_t n = recv(channel->fd, bytes, size, 0);
    if (n == 0) {
        *ended_out = true;
        return tci_error_set(err, TC_E_PEER_LOST, "%s closed the connection", channel->peer);
    }
    if (n < 0)
        return would_block(errno) ? TC_E_AGAIN : socket_failed(channel, errno, err);
    *read_out = (size_t)n;
    return TC_OK;
}

tc_status tci_channel_write(tci_channel *channel, const void *bytes, size_t size,
                            size_t *written_out, tc_error *err)
{
    ssize_t n = send(channel->fd, bytes, size, MSG_NOSIGNAL);
    if (n < 0)
        return would_block(errno) ? TC_E_AGAIN : socket_failed(channel, errno, err);
    *written_out = (size_t)n;
    return TC_OK;
}

bool tci_channel_has_bytes(const tci_channel *channel)
{
    (void)channel;
    return false;
}

bool tci_channel_wants_write(const tci_channel *channel)
{
    (void)channel;
    return false;
}
