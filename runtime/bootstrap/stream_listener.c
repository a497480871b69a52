/* Listeners: bind, accept, and with keys the handshake of accepted connections before they are
 * returned (strangers.h). */
#include "stream_object.h"

#include "base/clock.h"
#include "base/error_text.h"
#include "base/logger.h"
#include "handed_socket.h"
#include "strangers.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Peers that may wait for tci_stream_accept, and that one call of it turns away. A connection
 * beyond that is tried again after a second. A longer queue lets strangers in before honest
 * peers: 4,096 of them kept a target from answering for five seconds. */
#define BACKLOG 128u

struct tci_stream_listener {
    tci_fork_guard guard; /* closes fd in forked children, or peers would wait there in vain */
    int fd;
    bool is_handed;           /* fd brings connections that another process has accepted */
    bool is_shut;             /* accepts no more; unauthenticated peers continue */
    tci_host_address address; /* with the port that was bound */
    tci_credentials *credentials;
    tci_strangers *strangers; /* NULL: peers send no proof before their HELLO */
    char turned_away[TCI_HOST_PORT_TEXT_MAX];
};

static void close_in_fork(tci_fork_guard *guard)
{
    tci_stream_listener *listener = (tci_stream_listener *)(void *)guard; /* first member */
    (void)close(listener->fd);
    listener->fd = -1;
    if (listener->strangers != NULL)
        tci_strangers_leave(listener->strangers);
}

static tc_status check_loopback(const char *asked_for, const tci_host_address *address,
                                bool allow_any, tc_error *err)
{
    char text[TCI_HOST_PORT_TEXT_MAX];
    if (tci_host_address_is_loopback(address) || allow_any)
        return TC_OK;
    return tci_error_set(
        err, TC_E_INVALID,
        "listen on '%s': %s is reachable from outside, and whoever connects can run code here: "
        "set key_file (tc-node --make-key makes one), or tls_ca, tls_cert and tls_key; "
        "listen_any=yes allows it without",
        asked_for, tci_host_address_text(address, text));
}

/* Returns 0 or errno. */
static int listen_on(const tci_host_address *address, int *fd_out)
{
    static const int yes = 1;
    int errnum;
    int fd = socket(address->storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return errno;
    /* Otherwise a target that restarts has to wait until the system forgets its old
     * connections. */
    (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(fd, (const struct sockaddr *)&address->storage, address->size) != 0)
        goto failed;
    tci_channel_spare_pacing(fd, address);
    if (listen(fd, BACKLOG) != 0)
        goto failed;
    *fd_out = fd;
    return 0;

failed:
    errnum = errno;
    (void)close(fd);
    return errnum;
}

/* Binds the first of the addresses that this machine has: "localhost" may name ::1 where there
 * is no IPv6. */
static tc_status listen_on_first(const tci_host_port *hosts, tci_stream_listener *listener,
                                 tc_error *err)
{
    char text[TCI_HOST_PORT_TEXT_MAX];
    int errnum = 0;
    for (size_t i = 0; i < hosts->count; i++) {
        listener->address = hosts->addresses[i];
        errnum = listen_on(&listener->address, &listener->fd);
        if (errnum != EADDRNOTAVAIL && errnum != EAFNOSUPPORT)
            break;
    }
    (void)tci_host_address_text(&listener->address, text);
    if (errnum == EADDRINUSE)
        return tci_error_errno(err, TC_E_IN_USE, errnum, "listen on %s", text);
    if (errnum == EADDRNOTAVAIL || errnum == EAFNOSUPPORT)
        return tci_error_errno(err, TC_E_INVALID, errnum, "listen on %s", text);
    if (errnum != 0)
        return tci_error_errno(err, TC_E_IO, errnum, "listen on %s", text);
    return TC_OK;
}

static tc_status take_credentials(tci_stream_listener *listener, tci_credentials *credentials,
                                  tc_error *err)
{
    listener->credentials = credentials;
    if (!tci_credentials_has_keys(credentials))
        return TC_OK;
    listener->strangers = malloc(sizeof *listener->strangers);
    if (listener->strangers == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "listen: out of memory");
    tc_status status = tci_strangers_init(listener->strangers, listener->fd, err);
    if (status != TC_OK) {
        free(listener->strangers);
        listener->strangers = NULL;
    }
    return status;
}

static tc_status parse(const char *host_port, tci_host_port *hosts_out, tc_error *err)
{
    tc_status status = tci_host_port_parse(host_port, hosts_out, err);
    if (status == TC_E_UNREACHABLE) /* an unknown name is no address to listen on */
        return tci_error_set(err, TC_E_INVALID, "listen on '%s': the host is not known",
                             host_port);
    return status;
}

static tc_status bind_hosts(const tci_host_port *hosts, tci_stream_listener **listener_out,
                            tc_error *err)
{
    tci_stream_listener *listener = calloc(1, sizeof *listener);
    if (listener == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "listen: out of memory");
    listener->fd = -1;
    tc_status status = listen_on_first(hosts, listener, err);
    if (status != TC_OK) {
        free(listener);
        return status;
    }
    listener->address.size = sizeof listener->address.storage;
    (void)getsockname(listener->fd, (struct sockaddr *)&listener->address.storage,
                      &listener->address.size);
    tci_fork_guard_add(&listener->guard, close_in_fork);
    *listener_out = listener;
    return TC_OK;
}

tc_status tci_stream_bind(const char *host_port, tci_stream_listener **listener_out,
                          tc_error *err)
{
    tci_host_port hosts;
    TC_TRY(parse(host_port, &hosts, err));
    return bind_hosts(&hosts, listener_out, err);
}

/* Returns whether it is a TCP socket that listens, and its address. */
static bool is_listening(int fd, tci_host_address *address_out)
{
    int type = 0, listens = 0;
    socklen_t size = sizeof type;
    address_out->size = sizeof address_out->storage;
    return getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_STREAM &&
           getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) == 0 && listens != 0 &&
           getsockname(fd, (struct sockaddr *)&address_out->storage, &address_out->size) == 0 &&
           (address_out->storage.ss_family == AF_INET ||
            address_out->storage.ss_family == AF_INET6);
}

tc_status tci_stream_adopt(int socket, tci_stream_listener **listener_out, tc_error *err)
{
    tci_host_address address;
    if (!is_listening(socket, &address))
        return tci_error_set(err, TC_E_INVALID,
                             "descriptor %d: expected a TCP socket that listens", socket);
    tci_stream_listener *listener = calloc(1, sizeof *listener);
    if (listener == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "listen: out of memory");
    listener->address = address;
    listener->fd = fcntl(socket, F_DUPFD_CLOEXEC, 0);
    if (listener->fd < 0 ||
        fcntl(listener->fd, F_SETFL, fcntl(listener->fd, F_GETFL) | O_NONBLOCK) != 0) {
        tc_status status = tci_error_errno(err, TC_E_IO, errno, "listen");
        if (listener->fd >= 0)
            (void)close(listener->fd);
        free(listener);
        return status;
    }
    tci_fork_guard_add(&listener->guard, close_in_fork);
    *listener_out = listener;
    return TC_OK;
}

tc_status tci_stream_listener_admit(tci_stream_listener *listener, bool allow_any,
                                    tci_credentials *credentials, tc_error *err)
{
    char text[TCI_HOST_PORT_TEXT_MAX];
    bool has_keys = tci_credentials_has_keys(credentials);
    (void)tci_host_address_text(&listener->address, text);
    TC_TRY(check_loopback(text, &listener->address, allow_any || has_keys, err));
    TC_TRY(take_credentials(listener, credentials, err));
    if (!tci_host_address_is_loopback(&listener->address) && !has_keys)
        TC_LOG(TC_LOG_WARN, "listening on %s: every peer can run code in this process", text);
    return TC_OK;
}

tc_status tci_stream_listen(const char *host_port, bool allow_any, tci_credentials *credentials,
                            tci_stream_listener **listener_out, tc_error *err)
{
    tci_host_port hosts;
    tci_stream_listener *listener;
    TC_TRY(parse(host_port, &hosts, err));
    for (size_t i = 0; i < hosts.count; i++)
        TC_TRY(check_loopback(host_port, &hosts.addresses[i],
                              allow_any || tci_credentials_has_keys(credentials), err));
    TC_TRY(bind_hosts(&hosts, &listener, err));
    tc_status status = tci_stream_listener_admit(listener, allow_any, credentials, err);
    if (status != TC_OK) {
        tci_stream_listener_close(listener);
        return status;
    }
    *listener_out = listener;
    return TC_OK;
}

tc_status tci_stream_listen_handed(int channel, tci_credentials *credentials,
                                   tci_stream_listener **listener_out, tc_error *err)
{
    int type;
    socklen_t size = sizeof type;
    if (getsockopt(channel, SOL_SOCKET, SO_TYPE, &type, &size) != 0 || type != SOCK_SEQPACKET)
        return tci_error_set(err, TC_E_INVALID,
                             "descriptor %d: expected a socket of type SOCK_SEQPACKET",
                             channel);
    tci_stream_listener *listener = calloc(1, sizeof *listener);
    if (listener == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "listener: out of memory");
    listener->is_handed = true;
    listener->fd = fcntl(channel, F_DUPFD_CLOEXEC, 0);
    tc_status status = listener->fd >= 0 ? take_credentials(listener, credentials, err)
                                         : tci_error_errno(err, TC_E_IO, errno, "listener");
    if (status != TC_OK) {
        tci_stream_listener_close(listener);
        return status;
    }
    tci_fork_guard_add(&listener->guard, close_in_fork);
    *listener_out = listener;
    return TC_OK;
}

tc_status tci_stream_listener_twin(const tci_stream_listener *of, tci_credentials *credentials,
                                   tci_stream_listener **twin_out, tc_error *err)
{
    tci_stream_listener *twin = calloc(1, sizeof *twin);
    if (twin == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "listen: out of memory");
    *twin = (tci_stream_listener){.address = of->address, .is_handed = of->is_handed};
    twin->fd = fcntl(of->fd, F_DUPFD_CLOEXEC, 0);
    tc_status status = twin->fd >= 0 ? take_credentials(twin, credentials, err)
                                     : tci_error_errno(err, TC_E_IO, errno, "listen");
    if (status != TC_OK) {
        if (twin->fd >= 0)
            (void)close(twin->fd);
        free(twin);
        return status;
    }
    tci_fork_guard_add(&twin->guard, close_in_fork);
    *twin_out = twin;
    return TC_OK;
}

void tci_stream_listener_shut(tci_stream_listener *listener, bool shut)
{
    listener->is_shut = shut;
}

uint16_t tci_stream_listener_port(const tci_stream_listener *listener)
{
    return listener->is_handed ? 0 : tci_host_address_port(&listener->address);
}

int tci_stream_listener_socket(const tci_stream_listener *listener)
{
    return listener->is_handed ? -1 : listener->fd;
}

bool tci_stream_listener_is_local(const tci_stream_listener *listener)
{
    return !listener->is_handed && tci_host_address_is_loopback(&listener->address);
}

int tci_stream_listener_fd(const tci_stream_listener *listener)
{
    return listener->strangers != NULL ? listener->strangers->epoll_fd : listener->fd;
}

void tci_stream_listener_close(tci_stream_listener *listener)
{
    if (listener == NULL)
        return;
    tci_fork_guard_remove(&listener->guard);
    if (listener->strangers != NULL)
        tci_strangers_fini(listener->strangers);
    if (listener->fd >= 0)
        (void)close(listener->fd);
    free(listener->strangers);
    free(listener);
}

/* Returns whether accept's error means that a waiting peer has gone, or that no peer waits. */
static bool nobody_waits(int errnum)
{
    return errnum == EAGAIN || errnum == EWOULDBLOCK || errnum == EINTR ||
           errnum == ECONNABORTED || errnum == EPROTO || errnum == ENETDOWN ||
           errnum == EHOSTDOWN || errnum == EHOSTUNREACH || errnum == ENETUNREACH;
}

const char *tci_stream_listener_turned_away(const tci_stream_listener *listener)
{
    return listener->turned_away;
}

static tc_status turn_away(tci_stream_listener *listener, tci_stream *stream)
{
    (void)snprintf(listener->turned_away, sizeof listener->turned_away, "%s",
                   tci_stream_peer(stream));
    tci_stream_close(stream);
    return TC_E_REFUSED;
}

/* Frees a descriptor of an unauthenticated peer, if there is one, when accept is out of
 * them. */
static tc_status cannot_accept(tci_stream_listener *listener, int errnum, tc_error *err)
{
    tci_stream *dropped =
        listener->strangers != NULL ? tci_strangers_drop(listener->strangers) : NULL;
    if (dropped == NULL)
        return tci_error_errno(err, TC_E_IO, errnum, "accept on port %u",
                               tci_stream_listener_port(listener));
    (void)tci_error_errno(err, TC_E_REFUSED, errnum, "%s has to make room",
                          tci_stream_peer(dropped));
    return turn_away(listener, dropped);
}

tc_status tci_stream_take(tci_stream_listener *listener, int *fd_out,
                          tci_host_address *peer_out, tc_error *err)
{
    if (listener->is_handed)
        return tci_handed_socket_receive(listener->fd, fd_out, peer_out, err);
    peer_out->size = sizeof peer_out->storage; /* bound: CONNECTIONS_MAX, TCI_STRANGERS_MAX */
    int fd = accept4(listener->fd, (struct sockaddr *)&peer_out->storage, &peer_out->size,
                     SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0)
        return nobody_waits(errno) ? TC_E_AGAIN : cannot_accept(listener, errno, err);
    *fd_out = fd;
    return TC_OK;
}

static tc_status accept_socket(tci_stream_listener *listener, tci_stream **stream_out,
                               tc_error *err)
{
    tci_host_address peer;
    int fd;
    TC_TRY(tci_stream_take(listener, &fd, &peer, err));
    tci_stream *stream = tci_stream_alloc();
    if (stream == NULL) {
        (void)close(fd);
        return tci_error_set(err, TC_E_NO_MEMORY, "accept on port %u: out of memory",
                             tci_stream_listener_port(listener));
    }
    tci_channel_adopt(&stream->channel, fd, &peer);
    tc_status status =
        tci_channel_secure(&stream->channel, listener->credentials, TCI_TLS_SERVER, NULL, err);
    if (status != TC_OK) {
        tci_stream_close(stream);
        return status;
    }
    *stream_out = stream;
    return TC_OK;
}

/* Begins the handshake. Most peers have not sent anything yet, and join the unauthenticated. */
static tc_status welcome(tci_stream_listener *listener, tci_stream *stream,
                         tci_stream **stream_out, tc_error *err)
{
    tc_status status = tci_stream_prove(stream, err);
    if (status == TC_OK)
        *stream_out = stream;
    if (status == TC_OK)
        return TC_OK;
    if (status != TC_E_AGAIN)
        return turn_away(listener, stream);
    tci_stream *dropped;
    tci_strangers_add(listener->strangers, stream,
                      tci_deadline_after(listener->credentials->patience_ns), &dropped);
    if (dropped == NULL)
        return TC_E_AGAIN;
    (void)tci_error_set(
        err, TC_E_REFUSED,
        "%s was dropped before it proved who it is: %u connections had not, and "
        "another came",
        tci_stream_peer(dropped), TCI_STRANGERS_MAX);
    return turn_away(listener, dropped);
}

tc_status tci_stream_accept(tci_stream_listener *listener, tci_stream **stream_out,
                            tc_error *err)
{
    tci_stream *stream;
    if (listener->strangers != NULL) {
        tc_status status = tci_strangers_next(listener->strangers, &stream, err);
        if (status == TC_E_REFUSED)
            return turn_away(listener, stream);
        if (status == TC_OK)
            *stream_out = stream;
        if (status != TC_E_AGAIN)
            return status;
    }
    for (unsigned i = 0; i < BACKLOG && !listener->is_shut; i++) {
        TC_TRY(accept_socket(listener, &stream, err));
        tc_status status = welcome(listener, stream, stream_out, err);
        if (status != TC_E_AGAIN)
            return status;
    }
    return TC_E_AGAIN;
}
