/* A stream's bytes once it is wide: it carries records, through a buffer for each direction,
 * which it borrows from the core's spares and gives back when it is empty.
 *
 * A body beside the buffers goes straight between the socket and its own memory. In clear it
 * shares its system call with the bytes before it (a write) or behind it (a read), as a call
 * costs more than its bytes (docs/decisions/stream.md). With keys a call has whole records of
 * TLS instead. An error is kept, and every later call of that direction repeats it. */
#include "stream_bytes.h"

#include "base/assertion.h"
#include "base/error_text.h"
#include "stream_object.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

/* --- errors ------------------------------------------------------------------------------ */

tc_status tci_stream_repeat(const tci_kept_error *kept, tc_error *err)
{
    if (kept->status == TC_OK)
        return TC_OK;
    return tci_error_set(err, kept->status, "%s",
                         kept->text != NULL ? kept->text : tc_status_text(kept->status));
}

tc_status tci_stream_keep(tci_kept_error *kept, const tc_error *error, tc_error *err)
{
    const size_t size = strlen(error->text) + 1;
    if (kept->status == TC_OK) {
        kept->status = error->status;
        kept->text = malloc(size);
        if (kept->text != NULL)
            memcpy(kept->text, error->text, size);
    }
    return tci_stream_repeat(kept, err);
}

tc_status tci_stream_keep_shortage(const tci_stream *stream, tci_kept_error *kept,
                                   tc_error *err)
{
    tc_error error;
    (void)tci_error_set(&error, TC_E_NO_MEMORY, "connection to %s: out of memory",
                        stream->channel.peer);
    return tci_stream_keep(kept, &error, err);
}

/* Keeps a final error of one direction. */
static tc_status end_transfer(tci_kept_error *kept, tc_status status, const tc_error *failed,
                              tc_error *err)
{
    if (status == TC_OK || status == TC_E_AGAIN)
        return status;
    return tci_stream_keep(kept, failed, err);
}

/* --- the buffers' life ------------------------------------------------------------------- */

tc_status tci_stream_widen(tci_stream *stream, tci_stream_spares **spares, tc_error *err)
{
    if (stream->spares != NULL)
        return TC_OK;
    if (*spares == NULL && (*spares = calloc(1, sizeof **spares)) == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "connection to %s: out of memory",
                             stream->channel.peer);
    (*spares)->rest = tci_stream_buffer_rest;
    (*spares)->users++;
    stream->spares = spares;
    stream->in.begin = stream->in.end = 0; /* a message that was received stays there */
    return TC_OK;
}

void tci_stream_free_buffers(tci_stream *stream)
{
    free(stream->in.bytes);
    free(stream->out.bytes);
    free(stream->receive_error.text);
    free(stream->send_error.text);
    if (stream->spares == NULL || --(*stream->spares)->users > 0)
        return;
    free((*stream->spares)->in.bytes);
    free((*stream->spares)->out.bytes);
    free(*stream->spares);
    *stream->spares = NULL;
}

tc_status tci_stream_send_error(const tci_stream *stream, tc_error *err)
{
    return tci_stream_repeat(&stream->send_error, err);
}

bool tci_stream_is_clear(const tci_stream *stream)
{
    return !stream->channel.is_protected;
}

/* --- receiving --------------------------------------------------------------------------- */

const uint8_t *tci_stream_look(const tci_stream *stream, size_t *size_out)
{
    const tci_stream_buffer *in = &stream->in;
    *size_out = in->end - in->begin;
    return in->bytes != NULL ? in->bytes + in->begin : NULL;
}

static void release_if_empty(tci_stream *stream)
{
    tci_stream_buffer *in = &stream->in;
    if (in->begin == in->end)
        tci_stream_buffer_release(in, &(*stream->spares)->in);
}

void tci_stream_skip(tci_stream *stream, size_t size)
{
    TCI_INVARIANT_IS(stream_in, size, <=, stream->in.end - stream->in.begin);
    stream->in.begin += size;
    release_if_empty(stream);
}

/* Makes space for a read. A message that was received before the stream was wide has been taken
 * by now. */
static tc_status prepare_read(tci_stream *stream, tc_error *err)
{
    tci_stream_buffer *in = &stream->in;
    tci_stream_buffer_compact(in);
    size_t wanted = in->end < in->capacity ? 1 : in->capacity;
    if (in->end == TCI_STREAM_WIDE_BYTES)
        return TC_E_AGAIN;
    if (in->capacity < TCI_STREAM_BUFFER_SMALL)
        wanted = TCI_STREAM_BUFFER_SMALL - in->end;
    return tci_stream_buffer_reserve(in, &(*stream->spares)->in, wanted)
               ? TC_OK
               : tci_stream_keep_shortage(stream, &stream->receive_error, err);
}

tc_status tci_stream_fill(tci_stream *stream, bool *more_out, tc_error *err)
{
    tci_stream_buffer *in = &stream->in;
    size_t n = 0;
    bool ended;
    tc_error failed;
    TC_TRY(tci_stream_repeat(&stream->receive_error, err));
    TC_TRY(prepare_read(stream, err));
    size_t capacity = in->capacity - in->end;
    tc_status status =
        tci_channel_read(&stream->channel, in->bytes + in->end, capacity, &n, &ended, &failed);
    in->end += n;
    TCI_INVARIANT_IS(stream_in, in->end, <=, in->capacity);
    release_if_empty(stream);
    if (status == TC_OK)
        *more_out = n == capacity || tci_channel_has_bytes(&stream->channel);
    return end_transfer(&stream->receive_error, status, &failed, err);
}

static tc_status read_protected(tci_stream *stream, uint8_t *to, size_t size, size_t *n_out,
                                bool *more_out, tc_error *err)
{
    bool ended;
    tc_error failed;
    tc_status status = tci_channel_read(&stream->channel, to, size, n_out, &ended, &failed);
    if (status == TC_OK)
        *more_out = *n_out == size || tci_channel_has_bytes(&stream->channel);
    return end_transfer(&stream->receive_error, status, &failed, err);
}

tc_status tci_stream_read(tci_stream *stream, uint8_t *to, size_t size, size_t *n_out,
                          bool *more_out, tc_error *err)
{
    tci_stream_buffer *in = &stream->in;
    size_t n = 0;
    bool ended;
    tc_error failed;
    TC_TRY(tci_stream_repeat(&stream->receive_error, err));
    if (!tci_stream_is_clear(stream))
        return read_protected(stream, to, size, n_out, more_out, err);
    TC_TRY(prepare_read(stream, err));
    TCI_INVARIANT_IS(stream_in, in->end, ==, 0);
    struct iovec pieces[2] = {{.iov_base = to, .iov_len = size},
                              {.iov_base = in->bytes, .iov_len = in->capacity}};
    tc_status status = tci_channel_read_both(&stream->channel, pieces, &n, &ended, &failed);
    *n_out = n < size ? n : size;
    in->end = n - *n_out;
    *more_out = n == size + in->capacity;
    release_if_empty(stream);
    return end_transfer(&stream->receive_error, status, &failed, err);
}

bool tci_stream_has_bytes(const tci_stream *stream)
{
    return stream->proved && tci_channel_has_bytes(&stream->channel);
}

void tci_stream_set_least(tci_stream *stream, size_t bytes)
{
    const int least = (int)bytes;
    /* Where it fails, smaller pieces are reported. */
    (void)setsockopt(stream->channel.fd, SOL_SOCKET, SO_RCVLOWAT, &least, sizeof least);
}

/* --- sending ----------------------------------------------------------------------------- */

size_t tci_stream_unsent(const tci_stream *stream)
{
    return stream->out.end - stream->out.begin;
}

size_t tci_stream_room(const tci_stream *stream)
{
    return TCI_STREAM_WIDE_BYTES - tci_stream_unsent(stream);
}

void tci_stream_add(tci_stream *stream, const void *bytes, size_t size)
{
    tci_stream_buffer *out = &stream->out;
    TCI_INVARIANT_IS(stream_out, size, <=, tci_stream_room(stream));
    if (size == 0)
        return;
    if (!tci_stream_buffer_reserve(out, &(*stream->spares)->out, size)) {
        (void)!tci_stream_keep_shortage(stream, &stream->send_error, NULL);
        return;
    }
    memcpy(out->bytes + out->end, bytes, size);
    out->end += size;
}

tc_status tci_stream_write(tci_stream *stream, const void *bytes, size_t size, size_t *n_out,
                           tc_error *err)
{
    tc_error failed;
    TC_TRY(tci_stream_repeat(&stream->send_error, err));
    return end_transfer(&stream->send_error,
                        tci_channel_write(&stream->channel, bytes, size, n_out, &failed),
                        &failed, err);
}

tc_status tci_stream_write_behind(tci_stream *stream, const void *bytes, size_t size,
                                  size_t *n_out, tc_error *err)
{
    tci_stream_buffer *out = &stream->out;
    const size_t waiting = tci_stream_unsent(stream);
    struct iovec pieces[2] = {{.iov_base = out->bytes + out->begin, .iov_len = waiting},
                              {.iov_base = (void *)(uintptr_t)bytes, .iov_len = size}};
    size_t n = 0;
    tc_error failed;
    TC_TRY(tci_stream_repeat(&stream->send_error, err));
    tc_status status = tci_channel_write_both(&stream->channel, pieces, &n, &failed);
    const size_t first = n < waiting ? n : waiting;
    out->begin += first;
    TCI_INVARIANT_IS(stream_out, out->begin, <=, out->end);
    *n_out = n - first;
    return end_transfer(&stream->send_error, status, &failed, err);
}
