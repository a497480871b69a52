#include "stream_object.h"

#include "base/error_text.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool means_unreachable(int errnum)
{
    return errnum == ECONNREFUSED || errnum == EHOSTUNREACH || errnum == ENETUNREACH ||
           errnum == ETIMEDOUT || errnum == EADDRNOTAVAIL || errnum == ENETDOWN ||
           errnum == EHOSTDOWN || errnum == ECONNRESET || errnum == EAFNOSUPPORT;
}

static void hang_up(tci_stream *stream)
{
    if (stream->fd >= 0)
        (void)close(stream->fd);
    stream->fd = -1;
}

/* 0: connected; EINPROGRESS: under way; else errno of the failure. */
static int begin_attempt(tci_stream *stream)
{
    const tci_host_address *address = &stream->targets->addresses[stream->target];
    (void)tci_host_address_text(address, stream->peer);
    hang_up(stream);
    stream->fd =
        socket(address->storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (stream->fd < 0)
        return errno;
    if (connect(stream->fd, (const struct sockaddr *)&address->storage, address->size) == 0)
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

/* The same values as begin_attempt. */
static int ask_attempt(const tci_stream *stream)
{
    struct pollfd ready = {.fd = stream->fd, .events = POLLOUT};
    if (poll(&ready, 1, 0) <= 0)
        return EINPROGRESS;
    int errnum = 0;
    socklen_t size = sizeof errnum;
    if (getsockopt(stream->fd, SOL_SOCKET, SO_ERROR, &errnum, &size) != 0)
        return errno;
    if (errnum == 0 && is_joined_to_itself(stream->fd))
        return ECONNREFUSED;
    return errnum;
}

/* Takes an attempt's result, and begins the next ones as long as they fail at once. */
static tc_status carry_on(tci_stream *stream, int errnum, tc_error *err)
{
    while (errnum != 0 && errnum != EINPROGRESS) {
        if (stream->target + 1 == stream->targets->count) {
            hang_up(stream);
            return tci_error_errno(err, means_unreachable(errnum) ? TC_E_UNREACHABLE : TC_E_IO,
                                   errnum, "connect to %s", stream->peer);
        }
        stream->target++;
        errnum = begin_attempt(stream);
    }
    if (errnum == EINPROGRESS)
        return TC_E_AGAIN;
    free(stream->targets);
    stream->targets = NULL;
    tci_stream_tune(stream->fd);
    return TC_OK;
}

tc_status tci_stream_connect_start(const char *host_port, tci_stream **stream_out,
                                   tc_error *err)
{
    tci_host_port targets;
    TC_TRY(tci_host_port_parse(host_port, &targets, err));
    if (tci_host_address_port(&targets.addresses[0]) == 0)
        return tci_error_set(err, TC_E_INVALID, "connect to '%s': port 0 is nobody's",
                             host_port);

    tci_stream *stream = tci_stream_alloc();
    tci_host_port *kept = malloc(sizeof *kept);
    if (stream == NULL || kept == NULL) {
        free(kept);
        free(stream);
        return tci_error_set(err, TC_E_NO_MEMORY, "connect to '%s': out of memory", host_port);
    }
    *kept = targets;
    stream->targets = kept;
    tc_status status = carry_on(stream, begin_attempt(stream), err);
    if (status != TC_OK && status != TC_E_AGAIN) {
        tci_stream_close(stream);
        return status;
    }
    *stream_out = stream;
    return TC_OK;
}

tc_status tci_stream_connect_finish(tci_stream *stream, tc_error *err)
{
    if (stream->targets == NULL)
        return TC_OK;
    if (stream->fd < 0)
        return tci_error_set(err, TC_E_UNREACHABLE, "connect to %s: failed before",
                             stream->peer);
    return carry_on(stream, ask_attempt(stream), err);
}
