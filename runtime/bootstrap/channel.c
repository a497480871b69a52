/* Sockets, and the proof of identity: by TLS with keys, otherwise by the kernel. */
#include "channel.h"

#include "base/assertion.h"
#include "base/error_text.h"
#include "socket_user.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* The first byte of a TLS connection. */
#define TLS_HANDSHAKE 0x16
#define DRAINED_MAX 16384 /* bytes of a peer that is turned away */

static bool would_block(int errnum)
{
    return errnum == EAGAIN || errnum == EWOULDBLOCK || errnum == EINTR;
}

void tci_channel_init(tci_channel *channel)
{
    memset(channel, 0, sizeof *channel);
    channel->fd = -1;
}

void tci_channel_close(tci_channel *channel)
{
    if (channel->tls != NULL) {
        channel->credentials->ops->close(channel->tls, channel->fd >= 0);
        channel->credentials->sessions--;
    }
    channel->tls = NULL;
    if (channel->fd >= 0)
        (void)close(channel->fd);
    channel->fd = -1;
    free(channel->identity);
    channel->identity = NULL;
}

void tci_channel_close_in_fork(tci_channel *channel)
{
    if (channel->fd >= 0)
        (void)close(channel->fd);
    channel->fd = -1;
}

/* --- connecting -------------------------------------------------------------------------- */

/* Sets options of the socket. Failures are harmless: the options only make it quicker. */
static void tune(int fd)
{
    static const struct {
        int level;
        int option;
        int value;
    } settings[] = {
        {IPPROTO_TCP, TCP_NODELAY, 1},
        /* A machine that vanished sends no end of stream: probe it after 10 s of silence, and
           give up after 4 probes. */
        {SOL_SOCKET, SO_KEEPALIVE, 1},
        {IPPROTO_TCP, TCP_KEEPIDLE, 10},
        {IPPROTO_TCP, TCP_KEEPINTVL, 5},
        {IPPROTO_TCP, TCP_KEEPCNT, 4},
    };
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++)
        (void)setsockopt(fd, settings[i].level, settings[i].option, &settings[i].value,
                         sizeof settings[i].value);
}

void tci_channel_spare_pacing(int fd, const tci_host_address *address)
{
    static const char name[] = "reno"; /* every kernel has it, for every user */
    if (tci_host_address_is_loopback(address))
        (void)setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, name, sizeof name - 1);
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
    tci_channel_spare_pacing(channel->fd, address);
    if (connect(channel->fd, (const struct sockaddr *)&address->storage, address->size) == 0)
        return 0;
    /* After a signal connecting continues as if it had not arrived. */
    return errno == EINTR ? EINPROGRESS : errno;
}

/* Returns whether TCP has joined the socket to itself: on loopback the kernel may give it the
 * very port that it connects to. No process listens there. */
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

/* --- identity
 * ------------------------------------------------------------------------------ */

/* Returns whether both sockets have the same address, and so are of this machine. */
static bool same_machine(const tci_host_address *one, const tci_host_address *other)
{
    char texts[2][TCI_HOST_PORT_TEXT_MAX];
    size_t size = (size_t)(strrchr(tci_host_address_text(one, texts[0]), ':') - texts[0]);
    return size == (size_t)(strrchr(tci_host_address_text(other, texts[1]), ':') - texts[1]) &&
           memcmp(texts[0], texts[1], size) == 0;
}

/* Returns whether the connection leads to this machine. Called while the kernel still knows: it
 * reports nothing about a connection that has ended, which then counts as local. */
static bool leads_here(const tci_channel *channel)
{
    tci_host_address own = {.size = sizeof own.storage};
    tci_host_address peer = {.size = sizeof peer.storage};
    if (getsockname(channel->fd, (struct sockaddr *)&own.storage, &own.size) != 0 ||
        getpeername(channel->fd, (struct sockaddr *)&peer.storage, &peer.size) != 0)
        return true;
    return tci_host_address_is_loopback(&peer) || same_machine(&own, &peer);
}

tc_status tci_channel_secure(tci_channel *channel, tci_credentials *credentials,
                             tci_tls_role role, const char *host, tc_error *err)
{
    channel->role = role;
    channel->is_local = leads_here(channel);
    channel->credentials = credentials;
    if (!tci_credentials_has_keys(credentials))
        return TC_OK;
    channel->is_protected = true;
    TC_TRY(
        credentials->ops->open(credentials->tls, channel->fd, role, host, &channel->tls, err));
    credentials->sessions++;
    return TC_OK;
}

static bool is_over_loopback(const tci_channel *channel)
{
    tci_host_address peer = {.size = sizeof peer.storage};
    return getpeername(channel->fd, (struct sockaddr *)&peer.storage, &peer.size) == 0 &&
           tci_host_address_is_loopback(&peer);
}

static tc_status ask_kernel(tci_channel *channel, uid_t *user_out, tc_error *err)
{
    tc_status status =
        tci_socket_user_of_peer(channel->fd, channel->role == TCI_TLS_SERVER, user_out, err);
    channel->is_foreign = status == TC_OK && *user_out != geteuid();
    return status;
}

static tc_status take_identity(tci_channel *channel, const char *identity, tc_error *err)
{
    const size_t size = strlen(identity) + 1;
    channel->identity = malloc(size);
    if (channel->identity == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "%s: out of memory", channel->peer);
    memcpy(channel->identity, identity, size);
    return TC_OK;
}

static tc_status take_user(tci_channel *channel, uid_t user, tc_error *err)
{
    char text[32];
    (void)snprintf(text, sizeof text, "uid:%u", user);
    return take_identity(channel, text, err);
}

/* Judges a peer without keys: only this user's processes, and root's, are accepted. */
static tc_status judge_user(tci_channel *channel, tc_error *err)
{
    uid_t user;
    if (channel->credentials == NULL || !is_over_loopback(channel))
        return TC_OK;
    tc_status status = ask_kernel(channel, &user, err);
    if (channel->credentials->any_user)
        return status == TC_OK ? take_user(channel, user, err) : TC_OK;
    if (status != TC_OK) {
        tci_error_prefix(err, "%s", channel->peer);
        return status;
    }
    if (channel->is_foreign && user != 0)
        return tci_error_set(
            err, TC_E_REFUSED,
            "%s %s user %u, expected user %u or root: other local users need "
            "keys (key_file, tls_*), or local_users=any here",
            channel->peer, channel->role == TCI_TLS_SERVER ? "is a process of" : "is served by",
            user, geteuid());
    return take_user(channel, user, err);
}

/* Checks for clear text at a listener, before OpenSSL sees it: a peer that speaks it is
 * answered in it. TC_E_AGAIN: nothing was received yet. */
static tc_status look_at_first_byte(tci_channel *channel, tc_error *err)
{
    uint8_t first;
    if (channel->has_spoken || channel->role == TCI_TLS_CLIENT)
        return TC_OK;
    ssize_t n = recv(channel->fd, &first, 1, MSG_PEEK);
    if (n < 0 && would_block(errno))
        return TC_E_AGAIN;
    channel->has_spoken = true;
    if (n <= 0 || first == TLS_HANDSHAKE)
        return TC_OK; /* an end or an error is found again later */
    channel->speaks_clear = true;
    if (channel->credentials->is_job)
        return tci_error_set(
            err, TC_E_REFUSED, "%s speaks clear text, and only members of %s are taken here",
            channel->peer, channel->credentials->ops->identity(channel->credentials->tls));
    return tci_error_set(err, TC_E_REFUSED,
                         "%s speaks clear text, and keys are expected here: set key_file, or "
                         "tls_ca, tls_cert and tls_key, there as here",
                         channel->peer);
}

static tc_status take_proof(tci_channel *channel, tc_error *err)
{
    const tci_tls_ops *ops = channel->credentials->ops;
    const char *warning = ops->warning(channel->tls);
    if (warning[0] != '\0')
        TC_LOG_RATIONED(&channel->credentials->log, TC_LOG_WARN, "%s: %s", channel->peer,
                        warning);
    return take_identity(channel, ops->peer(channel->tls), err);
}

tc_status tci_channel_handshake(tci_channel *channel, tc_error *err)
{
    if (!channel->is_protected)
        return channel->identity == NULL ? judge_user(channel, err) : TC_OK;
    if (channel->identity != NULL)
        return TC_OK;
    TC_TRY(look_at_first_byte(channel, err));
    tc_status status = channel->credentials->ops->handshake(channel->tls, err);
    uid_t user;
    if (status == TC_OK) {
        status = take_proof(channel, err);
        if (channel->is_local) /* if the kernel does not know, mapping memory will show it */
            (void)ask_kernel(channel, &user, NULL);
    } else if (status != TC_E_AGAIN)
        tci_error_prefix(err, "%s", channel->peer);
    return status;
}

void tci_channel_tell_refused(tci_channel *channel, const void *bytes, size_t size)
{
    uint8_t unread[1024];
    if (channel->is_protected && !channel->speaks_clear)
        return;
    ssize_t n = send(channel->fd, bytes, size, MSG_NOSIGNAL);
    (void)shutdown(channel->fd, SHUT_WR);
    /* If bytes were left unread, the kernel would reset the connection, and the text be
     * lost. */
    for (unsigned i = 0; n > 0 && i < DRAINED_MAX / sizeof unread; i++)
        n = recv(channel->fd, unread, sizeof unread, 0);
}

/* --- bytes ------------------------------------------------------------------------------- */

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

static tc_status name_peer(const tci_channel *channel, tc_status status, tc_error *err)
{
    if (status != TC_OK && status != TC_E_AGAIN)
        tci_error_prefix(err, "%s", channel->peer);
    return status;
}

/* Judges the result of a read or write. */
static tc_status judge(const tci_channel *channel, ssize_t n, size_t *n_out, tc_error *err)
{
    if (n < 0)
        return would_block(errno) ? TC_E_AGAIN : socket_failed(channel, errno, err);
    *n_out = (size_t)n;
    return TC_OK;
}

static tc_status judge_read(const tci_channel *channel, ssize_t n, size_t *read_out,
                            bool *ended_out, tc_error *err)
{
    *ended_out = n == 0;
    if (n == 0)
        return tci_error_set(err, TC_E_PEER_LOST, "%s closed the connection", channel->peer);
    return judge(channel, n, read_out, err);
}

tc_status tci_channel_read(tci_channel *channel, void *bytes, size_t size, size_t *read_out,
                           bool *ended_out, tc_error *err)
{
    *ended_out = false;
    if (channel->is_protected) {
        tc_status status = channel->credentials->ops->read(channel->tls, bytes, size, read_out,
                                                           ended_out, err);
        return name_peer(channel, status, err);
    }
    return judge_read(channel, recv(channel->fd, bytes, size, 0), read_out, ended_out, err);
}

tc_status tci_channel_read_both(tci_channel *channel, struct iovec pieces[2], size_t *read_out,
                                bool *ended_out, tc_error *err)
{
    TCI_INVARIANT(channel_clear, !channel->is_protected);
    struct msghdr message = {.msg_iov = pieces, .msg_iovlen = 2};
    return judge_read(channel, recvmsg(channel->fd, &message, 0), read_out, ended_out, err);
}

tc_status tci_channel_write_both(tci_channel *channel, struct iovec pieces[2],
                                 size_t *written_out, tc_error *err)
{
    TCI_INVARIANT(channel_clear, !channel->is_protected);
    const struct msghdr message = {.msg_iov = pieces, .msg_iovlen = 2};
    return judge(channel, sendmsg(channel->fd, &message, MSG_NOSIGNAL), written_out, err);
}

tc_status tci_channel_write(tci_channel *channel, const void *bytes, size_t size,
                            size_t *written_out, tc_error *err)
{
    if (channel->is_protected) {
        tc_status status =
            channel->credentials->ops->write(channel->tls, bytes, size, written_out, err);
        return name_peer(channel, status, err);
    }
    return judge(channel, send(channel->fd, bytes, size, MSG_NOSIGNAL), written_out, err);
}

bool tci_channel_has_bytes(const tci_channel *channel)
{
    return channel->is_protected && channel->credentials->ops->has_bytes(channel->tls);
}

bool tci_channel_wants_write(const tci_channel *channel)
{
    return channel->is_protected && channel->credentials->ops->wants_write(channel->tls);
}
