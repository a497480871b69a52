#include "stream_object.h"

#include "base/error_text.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void close_in_fork(tci_fork_guard *guard)
{
    tci_stream *stream = (tci_stream *)(void *)guard; /* its first member */
    if (stream->fd >= 0)
        (void)close(stream->fd);
    stream->fd = -1;
}

tci_stream *tci_stream_alloc(void)
{
    tci_stream *stream = malloc(sizeof *stream);
    if (stream == NULL)
        return NULL;
    /* The buffers stay untouched until they are needed. */
    memset(stream, 0, offsetof(tci_stream, receive_bytes));
    stream->fd = -1;
    stream->message_end = TCI_HELLO_PREAMBLE_BYTES;
    tci_fork_guard_add(&stream->guard, close_in_fork);
    return stream;
}

void tci_stream_tune(int fd)
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

/* For errors that come again with every later call. */
static tc_status repeat(const tc_error *kept, tc_error *err)
{
    return tci_error_set(err, kept->status, "%s", kept->text);
}

static tc_status socket_failed(const tci_stream *stream, int errnum, tc_error *kept,
                               tc_error *err)
{
    if (errnum == ECONNRESET) /* a process that ends before it has read everything */
        (void)tci_error_errno(kept, TC_E_PEER_LOST, errnum, "%s closed the connection",
                              stream->peer);
    else
        (void)tci_error_errno(kept, means_peer_lost(errnum) ? TC_E_PEER_LOST : TC_E_IO, errnum,
                              "connection to %s", stream->peer);
    return repeat(kept, err);
}

/* --- connecting -------------------------------------------------------------------------- */

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

/* --- sending ----------------------------------------------------------------------------- */

tc_status tci_stream_flush(tci_stream *stream, tc_error *err)
{
    if (stream->send_error.status != TC_OK)
        return repeat(&stream->send_error, err);
    if (stream->targets != NULL)
        return stream->send_begin == stream->send_end ? TC_OK : TC_E_AGAIN;
    while (stream->send_begin < stream->send_end) {
        ssize_t n = send(stream->fd, stream->send_bytes + stream->send_begin,
                         stream->send_end - stream->send_begin, MSG_NOSIGNAL);
        if (n < 0 && would_block(errno))
            return TC_E_AGAIN;
        if (n < 0)
            return socket_failed(stream, errno, &stream->send_error, err);
        stream->send_begin += (size_t)n;
    }
    stream->send_begin = stream->send_end = 0;
    return TC_OK;
}

static bool make_room(tci_stream *stream, size_t size)
{
    size_t waiting = stream->send_end - stream->send_begin;
    if (size > sizeof stream->send_bytes - waiting)
        return false;
    if (size > sizeof stream->send_bytes - stream->send_end) {
        memmove(stream->send_bytes, stream->send_bytes + stream->send_begin, waiting);
        stream->send_begin = 0;
        stream->send_end = waiting;
    }
    return true;
}

tc_status tci_stream_send(tci_stream *stream, const void *bytes, size_t size, tc_error *err)
{
    if (size > sizeof stream->send_bytes)
        return tci_error_set(err, TC_E_TOO_LARGE, "message of %zu bytes, expected at most %zu",
                             size, sizeof stream->send_bytes);
    if (stream->send_error.status != TC_OK)
        return repeat(&stream->send_error, err);
    if (!make_room(stream, size))
        return tci_error_set(err, TC_E_AGAIN, "connection to %s: it takes no more bytes now",
                             stream->peer);
    memcpy(stream->send_bytes + stream->send_end, bytes, size);
    stream->send_end += size;
    tc_status status = tci_stream_flush(stream, err);
    return status == TC_E_AGAIN ? TC_OK : status;
}

/* --- receiving --------------------------------------------------------------------------- */

static tc_status peer_ended(tci_stream *stream, tc_error *err)
{
    const char *how = stream->received == 0 ? "" : " within a message";
    (void)tci_error_set(&stream->receive_error, TC_E_PEER_LOST, "%s closed the connection%s",
                        stream->peer, how);
    return repeat(&stream->receive_error, err);
}

/* Reads up to message_end. TC_OK: it is reached. */
static tc_status fill(tci_stream *stream, tc_error *err)
{
    while (stream->received < stream->message_end) {
        ssize_t n = recv(stream->fd, stream->receive_bytes + stream->received,
                         stream->message_end - stream->received, 0);
        if (n == 0)
            return peer_ended(stream, err);
        if (n < 0 && would_block(errno))
            return TC_E_AGAIN;
        if (n < 0)
            return socket_failed(stream, errno, &stream->receive_error, err);
        stream->received += (size_t)n;
    }
    return TC_OK;
}

static tc_status judge_preamble(tci_stream *stream, tci_hello_preamble *preamble_out,
                                tc_error *err)
{
    tc_error *kept = &stream->receive_error;
    if (tci_hello_preamble_decode(stream->receive_bytes, TCI_HELLO_PREAMBLE_BYTES, preamble_out,
                                  kept) == TC_OK)
        return TC_OK;
    tci_error_prefix(kept, "%s", stream->peer);
    return repeat(kept, err);
}

tc_status tci_stream_receive(tci_stream *stream, tci_hello_kind *kind_out,
                             const void **message_out, size_t *size_out, tc_error *err)
{
    if (stream->receive_error.status != TC_OK)
        return repeat(&stream->receive_error, err);
    if (stream->targets != NULL)
        return TC_E_AGAIN;
    if (stream->delivered) {
        stream->delivered = false;
        stream->received = 0;
        stream->message_end = TCI_HELLO_PREAMBLE_BYTES;
    }
    tci_hello_preamble preamble;
    if (stream->message_end == TCI_HELLO_PREAMBLE_BYTES)
        TC_TRY(fill(stream, err));
    TC_TRY(judge_preamble(stream, &preamble, err));
    stream->message_end = TCI_HELLO_PREAMBLE_BYTES + preamble.body_bytes;
    TC_TRY(fill(stream, err));
    stream->delivered = true;
    *kind_out = preamble.kind;
    *message_out = stream->receive_bytes;
    *size_out = stream->message_end;
    return TC_OK;
}

/* --- the rest ---------------------------------------------------------------------------- */

/* Two sockets of this machine, if they have the same address. */
static bool same_machine(const tci_host_address *one, const tci_host_address *other)
{
    char texts[2][TCI_HOST_PORT_TEXT_MAX];
    size_t size = (size_t)(strrchr(tci_host_address_text(one, texts[0]), ':') - texts[0]);
    return size == (size_t)(strrchr(tci_host_address_text(other, texts[1]), ':') - texts[1]) &&
           memcmp(texts[0], texts[1], size) == 0;
}

bool tci_stream_is_local(const tci_stream *stream)
{
    tci_host_address own = {.size = sizeof own.storage};
    tci_host_address peer = {.size = sizeof peer.storage};
    if (getsockname(stream->fd, (struct sockaddr *)&own.storage, &own.size) != 0 ||
        getpeername(stream->fd, (struct sockaddr *)&peer.storage, &peer.size) != 0)
        return false;
    return tci_host_address_is_loopback(&peer) || same_machine(&own, &peer);
}

int tci_stream_fd(const tci_stream *stream)
{
    return stream->fd;
}

const char *tci_stream_peer(const tci_stream *stream)
{
    return stream->peer;
}

void tci_stream_close(tci_stream *stream)
{
    if (stream == NULL)
        return;
    tci_fork_guard_remove(&stream->guard);
    if (stream->fd >= 0) {
        tc_status unsent = tci_stream_flush(stream, NULL);
        (void)unsent; /* nobody is left to be told */
        (void)close(stream->fd);
    }
    free(stream->targets);
    free(stream);
}
