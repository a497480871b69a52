/* Streams of whole messages: connecting, a queue to send, one message to receive. Wide streams
 * are in stream_bytes.c. */
#include "stream_bytes.h"

#include "base/assertion.h"
#include "base/error_text.h"
#include "stream_object.h"

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
    if (stream == NULL)
        return NULL;
    tci_channel_init(&stream->channel);
    stream->message_end = TCI_HELLO_PREAMBLE_BYTES;
    tci_fork_guard_add(&stream->guard, close_in_fork);
    return stream;
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
    tc_error failed;
    TC_TRY(tci_stream_repeat(&stream->receive_error, err));
    tc_status status = tci_channel_handshake(&stream->channel, &failed);
    if (status == TC_E_AGAIN)
        return status;
    if (status != TC_OK) {
        tell_refused(stream, &failed);
        (void)!tci_stream_keep(&stream->send_error, &failed, NULL);
        return tci_stream_keep(&stream->receive_error, &failed, err);
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
    tci_stream_buffer *out = &stream->out;
    TC_TRY(tci_stream_repeat(&stream->send_error, err));
    if (!stream->proved)
        return out->begin == out->end ? TC_OK : TC_E_AGAIN;
    while (out->begin < out->end) {
        size_t n = 0;
        TC_TRY(
            tci_stream_write(stream, out->bytes + out->begin, out->end - out->begin, &n, err));
        out->begin += n;
        TCI_INVARIANT_IS(stream_out, out->begin, <=, out->end);
    }
    out->begin = out->end = 0;
    if (stream->spares != NULL)
        tci_stream_buffer_release(out, &(*stream->spares)->out);
    return TC_OK;
}

tc_status tci_stream_send(tci_stream *stream, const void *bytes, size_t size, tc_error *err)
{
    tci_stream_buffer *out = &stream->out;
    if (size > TCI_STREAM_SEND_MAX)
        return tci_error_set(err, TC_E_TOO_LARGE, "message of %zu bytes, expected at most %u",
                             size, TCI_STREAM_SEND_MAX);
    TC_TRY(tci_stream_repeat(&stream->send_error, err));
    if (size > TCI_STREAM_SEND_MAX - (out->end - out->begin))
        return tci_error_set(err, TC_E_AGAIN, "connection to %s: it takes no more bytes now",
                             stream->channel.peer);
    if (!tci_stream_buffer_reserve(out, NULL, size))
        return tci_stream_keep_shortage(stream, &stream->send_error, err);
    memcpy(out->bytes + out->end, bytes, size);
    out->end += size;
    tc_status status = tci_stream_flush(stream, err);
    return status == TC_E_AGAIN ? TC_OK : status;
}

/* --- receiving --------------------------------------------------------------------------- */

/* Reads up to message_end. TC_OK: it is reached. */
static tc_status fill(tci_stream *stream, tc_error *err)
{
    tci_stream_buffer *in = &stream->in;
    if (!tci_stream_buffer_reserve(in, NULL, stream->message_end - in->end))
        return tci_stream_keep_shortage(stream, &stream->receive_error, err);
    while (in->end < stream->message_end) {
        size_t n = 0;
        bool ended;
        tc_error failed;
        tc_status status = tci_channel_read(&stream->channel, in->bytes + in->end,
                                            stream->message_end - in->end, &n, &ended, &failed);
        if (status == TC_E_AGAIN)
            return TC_E_AGAIN;
        if (status != TC_OK && ended && in->end > 0)
            (void)tci_error_set(&failed, TC_E_PEER_LOST,
                                "%s closed the connection within a message",
                                stream->channel.peer);
        if (status != TC_OK)
            return tci_stream_keep(&stream->receive_error, &failed, err);
        in->end += n;
    }
    return TC_OK;
}

static tc_status judge_preamble(tci_stream *stream, tci_hello_preamble *preamble_out,
                                tc_error *err)
{
    const uint8_t *bytes = stream->in.bytes;
    tc_error failed;
    if (tci_hello_preamble_decode(bytes, TCI_HELLO_PREAMBLE_BYTES, preamble_out, &failed) ==
        TC_OK)
        return TC_OK;
    /* These bytes begin TLS: the client has keys. */
    if (bytes[0] == 0x16 && bytes[1] == 0x03)
        (void)tci_error_set(&failed, TC_E_VERSION,
                            "it speaks TLS, and no keys are set here: set key_file, or tls_ca, "
                            "tls_cert and tls_key, here as there");
    tci_error_prefix(&failed, "%s", stream->channel.peer);
    return tci_stream_keep(&stream->receive_error, &failed, err);
}

tc_status tci_stream_receive(tci_stream *stream, tci_hello_kind *kind_out,
                             const void **message_out, size_t *size_out, tc_error *err)
{
    TC_TRY(tci_stream_repeat(&stream->receive_error, err));
    if (!stream->proved)
        return TC_E_AGAIN;
    if (stream->delivered) {
        stream->delivered = false;
        stream->in.end = 0;
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
    *message_out = stream->in.bytes;
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
    return stream->channel.identity != NULL ? stream->channel.identity : "";
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
