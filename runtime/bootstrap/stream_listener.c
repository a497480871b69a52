#include "stream_object.h"

#include "base/error_text.h"
#include "base/logger.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#define BACKLOG 128 /* peers that may wait between two calls of tci_stream_accept */

struct tci_stream_listener {
    tci_fork_guard guard; /* a fork closes fd, or peers would wait for nobody in its queue */
    int fd;
    tci_host_address address; /* with the port that was bound */
};

static void close_in_fork(tci_fork_guard *guard)
{
    tci_stream_listener *listener = (tci_stream_listener *)(void *)guard; /* first member */
    (void)close(listener->fd);
    listener->fd = -1;
}

static tc_status check_loopback(const char *host_port, const tci_host_port *hosts,
                                bool allow_any, tc_error *err)
{
    char text[TCI_HOST_PORT_TEXT_MAX];
    for (size_t i = 0; i < hosts->count; i++) {
        const tci_host_address *address = &hosts->addresses[i];
        if (tci_host_address_is_loopback(address) || allow_any)
            continue;
        return tci_error_set(
            err, TC_E_INVALID,
            "listen on '%s': %s is reachable from outside, and whoever connects "
            "can run code here; the option listen_any=yes allows it",
            host_port, tci_host_address_text(address, text));
    }
    return TC_OK;
}

/* Returns 0 or errno. */
static int listen_on(const tci_host_address *address, int *fd_out)
{
    static const int yes = 1;
    int errnum;
    int fd = socket(address->storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return errno;
    /* Else a target that restarts has to wait until the system forgets its old connections. */
    (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(fd, (const struct sockaddr *)&address->storage, address->size) != 0)
        goto failed;
    if (listen(fd, BACKLOG) != 0)
        goto failed;
    *fd_out = fd;
    return 0;

failed:
    errnum = errno;
    (void)close(fd);
    return errnum;
}

/* Takes the first of the addresses that this machine has: "localhost" may name ::1 where there
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

tc_status tci_stream_listen(const char *host_port, bool allow_any,
                            tci_stream_listener **listener_out, tc_error *err)
{
    tci_host_port hosts;
    tc_status status = tci_host_port_parse(host_port, &hosts, err);
    if (status == TC_E_UNREACHABLE) /* a name that nobody knows is no place to listen on */
        return tci_error_set(err, TC_E_INVALID, "listen on '%s': the host is not known",
                             host_port);
    TC_TRY(status);
    TC_TRY(check_loopback(host_port, &hosts, allow_any, err));

    tci_stream_listener *listener = calloc(1, sizeof *listener);
    if (listener == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "listen on '%s': out of memory", host_port);
    status = listen_on_first(&hosts, listener, err);
    if (status != TC_OK) {
        free(listener);
        return status;
    }
    listener->address.size = sizeof listener->address.storage;
    (void)getsockname(listener->fd, (struct sockaddr *)&listener->address.storage,
                      &listener->address.size);
    char text[TCI_HOST_PORT_TEXT_MAX];
    if (!tci_host_address_is_loopback(&listener->address))
        TC_LOG(TC_LOG_WARN, "listening on %s: whoever connects can run code in this process",
               tci_host_address_text(&listener->address, text));
    tci_fork_guard_add(&listener->guard, close_in_fork);
    *listener_out = listener;
    return TC_OK;
}

uint16_t tci_stream_listener_port(const tci_stream_listener *listener)
{
    return tci_host_address_port(&listener->address);
}

bool tci_stream_listener_is_local(const tci_stream_listener *listener)
{
    return tci_host_address_is_loopback(&listener->address);
}

int tci_stream_listener_fd(const tci_stream_listener *listener)
{
    return listener->fd;
}

void tci_stream_listener_close(tci_stream_listener *listener)
{
    if (listener == NULL)
        return;
    tci_fork_guard_remove(&listener->guard);
    if (listener->fd >= 0)
        (void)close(listener->fd);
    free(listener);
}

/* What accept reports when a waiting peer went away again, or nothing waits. */
static bool nobody_waits(int errnum)
{
    return errnum == EAGAIN || errnum == EWOULDBLOCK || errnum == EINTR ||
           errnum == ECONNABORTED || errnum == EPROTO || errnum == ENETDOWN ||
           errnum == EHOSTDOWN || errnum == EHOSTUNREACH || errnum == ENETUNREACH;
}

tc_status tci_stream_accept(tci_stream_listener *listener, tci_stream **stream_out,
                            tc_error *err)
{
    tci_host_address peer = {.size = sizeof peer.storage};
    int fd = accept4(listener->fd, (struct sockaddr *)&peer.storage, &peer.size,
                     SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0 && nobody_waits(errno))
        return TC_E_AGAIN;
    if (fd < 0)
        return tci_error_errno(err, TC_E_IO, errno, "accept on port %u",
                               tci_stream_listener_port(listener));
    tci_stream *stream = tci_stream_alloc();
    if (stream == NULL) {
        (void)close(fd);
        return tci_error_set(err, TC_E_NO_MEMORY, "accept on port %u: out of memory",
                             tci_stream_listener_port(listener));
    }
    tci_channel_adopt(&stream->channel, fd, &peer);
    *stream_out = stream;
    return TC_OK;
}
