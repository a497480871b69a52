/* Streams of whole messages: connecting, a queue to send, one message to receive. Wide streams
 * are in stream_bytes.c. */
#include "stream_object.h"

#include "base/error_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void close_in_fork(tci_fork_guard *guard)
{
    tci_stream *stream = (tci_stream *)(void *)guard; /* its first member */
    tci_channel_close_in_fork(&stream->channel);
}

tci_stream *tci_stream_alloc(void)
{
    tci_stream *stream = calloc(1, sizeof *stream);
    tci_stream_narrow *narrow = malloc(sizeof *narrow); /* untouched until it is needed */
    if (stream == NULL || narrow == NULL) {
        free(stream);
        free(narrow);
        return NULL;
    }
    stream->narrow = narrow;
    tci_channel_init(&stream->channel);
    stream->message_end = TCI_HELLO_PREAMBLE_BYTES;
    tci_fork_guard_add(&stream->guard, close_in_fork);
    return stream;
}

/* Returns an error that repeats with every later call. */
static tc_status repeat(const tc_error *kept, tc_error *err)
{
    return tci_error_set(err, kept->status, "%s", kept->text);
}

/* --- connecting -------------------------------------------------------------------------- */

static bool means_unreachable(int errnum)
{
    return errnum == ECONNREFUSED || errnum == EHOSTUNREACH || errnum == ENETUNREACH ||
           errnum == ETIMEDOUT || errnum == EADDRNOTAVAIL || errnum == ENETDOWN ||
           errnum == EHOSTDOWN || errnum == ECONNRESET || errnum == EAFNOSUPPORT;
}

static int begin_attempt(tci_stream *stream)
{
    return tci_channel_connect(&stream->channel, &stream->targets->addresses[stream->target]);
}

static void tell_refused(tci_stream *stream, const tc_error *why)
{
    uint8_t bytes[TCI_HELLO_PREAMBLE_BYTES + TCI_HELLO_REFUSE_TEXT_MAX + 64];
    size_t size;
    if (stream->channel.role == TCI_TLS_SERVER &&
        tci_hello_refuse_encode(why->status, why->text, bytes, sizeof bytes, &size) == TC_OK)
        tci_channel_tell_refused(&stream->channel, bytes, size);
}

tc_status tci_stream_prove(tci_stream *stream, tc_error *err)
{
    tc_error *kept = &stream->receive_error;
    if (kept->status != TC_OK)
        return repeat(kept, err);
    tc_status status = tci_channel_handshake(&stream->channel, kept);
    if (status == TC_E_AGAIN)
        return status;
    if (status != TC_OK) {
        stream->send_error = *kept;
        tell_refused(stream, kept);
        return repeat(kept, err);
    }
    stream->proved = true;
    return TC_OK;
}

/* Takes the result of an attempt to connect, and begins further attempts while they fail at
 * once. */
static tc_status carry_on(tci_stream *stream, int errnum, tc_error *err)
{
    while (errnum != 0 && errnum != EINPROGRESS) {
        if (stream->target + 1 == stream->targets->count) {
            tci_channel_close(&stream->channel);
            return tci_error_errno(err, means_unreachable(errnum) ? TC_E_UNREACHABLE : TC_E_IO,
                                   errnum, "connect to %s", stream->channel.peer);
        }
        stream->target++;
        errnum = begin_attempt(stream);
    }
    if (errnum == EINPROGRESS)
        return TC_E_AGAIN;
    tc_status status = tci_channel_secure(&stream->channel, stream->credentials, TCI_TLS_CLIENT,
                                          stream->targets->host, err);
    free(stream->targets);
    stream->targets = NULL;
    return status == TC_OK ? tci_stream_prove(stream, err) : status;
}

tc_status tci_stream_connect_start(const char *host_port, tci_credentials *credentials,
                                   tci_stream **stream_out, tc_error *err)
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
        tci_stream_close(stream);
        return tci_error_set(err, TC_E_NO_MEMORY, "connect to '%s': out of memory", host_port);
    }
    *kept = targets;
    stream->targets = kept;
    stream->credentials = credentials;
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
    if (stream->proved)
        return TC_OK;
    if (stream->targets == NULL)
        return tci_stream_prove(stream, err);
    if (stream->channel.fd < 0)
        return tci_error_set(err, TC_E_UNREACHABLE, "connect to %s: failed before",
                             stream->channel.peer);
    return carry_on(stream, tci_channel_ask_connected(&stream->channel), err);
}

/* --- sending ----------------------------------------------------------------------------- */

tc_status tci_stream_flush(tci_stream *stream, tc_error *err)
{
    if (stream->send_error.status != TC_OK)
        return repeat(&stream->send_error, err);
    if (stream->wide != NULL)
        return tci_stream_flush_wide(stream, err);
    if (!stream->proved)
        return stream->send_begin == stream->send_end ? TC_OK : TC_E_AGAIN;
    while (stream->send_begin < stream->send_end) {
        size_t n = 0;
        tc_status status =
            tci_channel_write(&stream->channel, stream->narrow->send + stream->send_begin,
                              stream->send_end - stream->send_begin, &n, &stream->send_error);
        if (status == TC_E_AGAIN)
            return TC_E_AGAIN;
        if (status != TC_OK)
            return repeat(&stream->send_error, err);
        stream->send_begin += n;
    }
    stream->send_begin = stream->send_end = 0;
    return TC_OK;
}

static bool make_room(tci_stream *stream, size_t size)
{
    size_t waiting = stream->send_end - stream->send_begin;
    if (size > sizeof stream->narrow->send - waiting)
        return false;
    if (size > sizeof stream->narrow->send - stream->send_end) {
        memmove(stream->narrow->send, stream->narrow->send + stream->send_begin, waiting);
        stream->send_begin = 0;
        stream->send_end = waiting;
    }
    return true;
}

tc_status tci_stream_send(tci_stream *stream, const void *bytes, size_t size, tc_error *err)
{
    if (size > sizeof stream->narrow->send)
        return tci_error_set(err, TC_E_TOO_LARGE, "message of %zu bytes, expected at most %zu",
                             size, sizeof stream->narrow->send);
    if (stream->send_error.status != TC_OK)
        return repeat(&stream->send_error, err);
    if (!make_room(stream, size))
        return tci_error_set(err, TC_E_AGAIN, "connection to %s: it takes no more bytes now",
                             stream->channel.peer);
    memcpy(stream->narrow->send + stream->send_end, bytes, size);
    stream->send_end += size;
    tc_status status = tci_stream_flush(stream, err);
    return status == TC_E_AGAIN ? TC_OK : status;
}

/* --- receiving --------------------------------------------------------------------------- */

/* Reads up to message_end. TC_OK: it is reached. */
static tc_status fill(tci_stream *stream, tc_error *err)
{
    while (stream->received < stream->message_end) {
        size_t n = 0;
        bool ended;
        tc_error *kept = &stream->receive_error;
        tc_status status =
            tci_channel_read(&stream->channel, stream->narrow->receive + stream->received,
                             stream->message_end - stream->received, &n, &ended, kept);
        if (status == TC_E_AGAIN)
            return TC_E_AGAIN;
        if (status != TC_OK && ended && stream->received > 0)
            (void)tci_error_set(kept, TC_E_PEER_LOST,
                                "%s closed the connection within a message",
                                stream->channel.peer);
        if (status != TC_OK)
            return repeat(kept, err);
        stream->received += n;
    }
    return TC_OK;
}

static tc_status judge_preamble(tci_stream *stream, tci_hello_preamble *preamble_out,
                                tc_error *err)
{
    tc_error *kept = &stream->receive_error;
    if (tci_hello_preamble_decode(stream->narrow->receive, TCI_HELLO_PREAMBLE_BYTES,
                                  preamble_out, kept) == TC_OK)
        return TC_OK;
    /* These bytes begin TLS: the client has keys. */
    if (stream->narrow->receive[0] == 0x16 && stream->narrow->receive[1] == 0x03)
        (void)tci_error_set(kept, TC_E_VERSION,
                            "it speaks TLS, and no keys are set here: set key_file, or tls_ca, "
                            "tls_cert and tls_key, here as there");
    tci_error_prefix(kept, "%s", stream->channel.peer);
    return repeat(kept, err);
}

tc_status tci_stream_receive(tci_stream *stream, tci_hello_kind *kind_out,
                             const void **message_out, size_t *size_out, tc_error *err)
{
    if (stream->receive_error.status != TC_OK)
        return repeat(&stream->receive_error, err);
    if (!stream->proved)
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
    *message_out = stream->narrow->receive;
    *size_out = stream->message_end;
    return TC_OK;
}

/* --- the rest ---------------------------------------------------------------------------- */

bool tci_stream_is_local(const tci_stream *stream)
{
    return stream->channel.is_local;
}

bool tci_stream_is_foreign(const tci_stream *stream)
{
    return stream->channel.is_foreign;
}

const tci_credentials *tci_stream_credentials(const tci_stream *stream)
{
    return stream->channel.credentials;
}

bool tci_stream_is_connected(const tci_stream *stream)
{
    return stream->targets == NULL;
}

const char *tci_stream_identity(const tci_stream *stream)
{
    return stream->channel.identity;
}

int tci_stream_fd(const tci_stream *stream)
{
    return stream->channel.fd;
}

const char *tci_stream_peer(const tci_stream *stream)
{
    return stream->channel.peer;
}

void tci_stream_close(tci_stream *stream)
{
    if (stream == NULL)
        return;
    tci_fork_guard_remove(&stream->guard);
    if (stream->channel.fd >= 0) {
        tc_status unsent = tci_stream_flush(stream, NULL);
        (void)unsent; /* no caller is left to report it to */
    }
    tci_channel_close(&stream->channel);
    free(stream->targets);
    tci_stream_free_buffers(stream);
    free(stream);
}
