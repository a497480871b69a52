#include "stream_bytes.h"

#include "base/assertion.h"
#include "base/error_text.h"
#include "stream_object.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_BYTES ((size_t)1 << 10) /* of a buffer, and of a power of two */

/* Bytes [begin, end). It grows when they fill it: a connection that is idle, or carries little,
 * takes little memory. */
typedef struct buffer {
    uint8_t *bytes;
    size_t capacity;
    size_t begin, end;
} buffer;

struct tci_stream_wide {
    buffer in;  /* bytes read and not skipped */
    buffer out; /* bytes that wait to be written */
};

static bool grow(buffer *b, size_t least)
{
    size_t capacity = b->capacity == 0 ? FIRST_BYTES : b->capacity;
    while (capacity < least)
        capacity *= 2;
    uint8_t *bytes = realloc(b->bytes, capacity); /* bound: TCI_STREAM_WIDE_BYTES */
    if (bytes == NULL)
        return false;
    b->bytes = bytes;
    b->capacity = capacity;
    return true;
}

static void move_to_front(buffer *b)
{
    memmove(b->bytes, b->bytes + b->begin, b->end - b->begin);
    b->end -= b->begin;
    b->begin = 0;
}

tc_status tci_stream_widen(tci_stream *stream, tc_error *err)
{
    if (stream->wide != NULL)
        return TC_OK;
    const size_t waiting = stream->send_end - stream->send_begin;
    tci_stream_wide *wide = calloc(1, sizeof *wide);
    if (wide == NULL || !grow(&wide->in, FIRST_BYTES) || !grow(&wide->out, waiting)) {
        free(wide != NULL ? wide->in.bytes : NULL);
        free(wide);
        return tci_error_set(err, TC_E_NO_MEMORY, "connection to %s: out of memory",
                             stream->channel.peer);
    }
    memcpy(wide->out.bytes, stream->narrow->send + stream->send_begin, waiting);
    wide->out.end = waiting;
    stream->send_begin = stream->send_end = 0;
    stream->wide = wide;
    return TC_OK;
}

void tci_stream_free_buffers(tci_stream *stream)
{
    if (stream->wide != NULL) {
        free(stream->wide->in.bytes);
        free(stream->wide->out.bytes);
    }
    free(stream->wide);
    free(stream->narrow);
}

tc_status tci_stream_send_error(const tci_stream *stream, tc_error *err)
{
    const tc_error *kept = &stream->send_error;
    return kept->status == TC_OK ? TC_OK : tci_error_set(err, kept->status, "%s", kept->text);
}

/* --- receiving --------------------------------------------------------------------------- */

const uint8_t *tci_stream_look(const tci_stream *stream, size_t *size_out)
{
    const buffer *in = &stream->wide->in;
    *size_out = in->end - in->begin;
    return in->bytes + in->begin;
}

void tci_stream_skip(tci_stream *stream, size_t size)
{
    buffer *in = &stream->wide->in;
    TCI_INVARIANT_IS(stream_in, size, <=, in->end - in->begin);
    in->begin += size;
    if (in->begin == in->end)
        in->begin = in->end = 0;
}

tc_status tci_stream_read(tci_stream *stream, uint8_t *to, size_t size, size_t *n_out,
                          tc_error *err)
{
    tc_error *kept = &stream->receive_error;
    bool ended = false;
    if (kept->status == TC_OK) {
        tc_status status = tci_channel_read(&stream->channel, to, size, n_out, &ended, kept);
        if (status == TC_OK || status == TC_E_AGAIN)
            return status;
    }
    return tci_error_set(err, kept->status, "%s", kept->text);
}

/* Makes space for a read. A message that was received before the stream was wide has been taken
 * by now. */
static tc_status prepare_read(tci_stream *stream, tc_error *err)
{
    buffer *in = &stream->wide->in;
    free(stream->narrow);
    stream->narrow = NULL;
    if (in->begin > 0)
        move_to_front(in);
    if (in->end < in->capacity)
        return TC_OK;
    if (in->capacity == TCI_STREAM_WIDE_BYTES)
        return TC_E_AGAIN;
    if (grow(in, 2 * in->capacity))
        return TC_OK;
    (void)tci_error_set(&stream->receive_error, TC_E_NO_MEMORY,
                        "connection to %s: out of memory", stream->channel.peer);
    return tci_error_set(err, TC_E_NO_MEMORY, "%s", stream->receive_error.text);
}

tc_status tci_stream_fill(tci_stream *stream, bool *more_out, tc_error *err)
{
    buffer *in = &stream->wide->in;
    size_t n = 0;
    TC_TRY(prepare_read(stream, err));
    size_t capacity = in->capacity - in->end;
    TC_TRY(tci_stream_read(stream, in->bytes + in->end, capacity, &n, err));
    in->end += n;
    TCI_INVARIANT_IS(stream_in, in->end, <=, in->capacity);
    *more_out = n == capacity || tci_channel_has_bytes(&stream->channel);
    return TC_OK;
}

bool tci_stream_has_bytes(const tci_stream *stream)
{
    return stream->proved && tci_channel_has_bytes(&stream->channel);
}

/* --- sending ----------------------------------------------------------------------------- */

size_t tci_stream_unsent(const tci_stream *stream)
{
    return stream->wide->out.end - stream->wide->out.begin;
}

size_t tci_stream_room(const tci_stream *stream)
{
    return TCI_STREAM_WIDE_BYTES - tci_stream_unsent(stream);
}

void tci_stream_add(tci_stream *stream, const void *bytes, size_t size)
{
    buffer *out = &stream->wide->out;
    TCI_INVARIANT_IS(stream_out, size, <=, tci_stream_room(stream));
    if (size > out->capacity - out->end)
        move_to_front(out);
    if (size > out->capacity - out->end && !grow(out, out->end + size)) {
        (void)tci_error_set(&stream->send_error, TC_E_NO_MEMORY,
                            "connection to %s: out of memory", stream->channel.peer);
        return;
    }
    if (size > 0)
        memcpy(out->bytes + out->end, bytes, size);
    out->end += size;
}

tc_status tci_stream_write(tci_stream *stream, const void *bytes, size_t size, size_t *n_out,
                           tc_error *err)
{
    tc_error *kept = &stream->send_error;
    if (kept->status == TC_OK) {
        tc_status status = tci_channel_write(&stream->channel, bytes, size, n_out, kept);
        if (status == TC_OK || status == TC_E_AGAIN)
            return status;
    }
    return tci_error_set(err, kept->status, "%s", kept->text);
}

tc_status tci_stream_flush_wide(tci_stream *stream, tc_error *err)
{
    buffer *out = &stream->wide->out;
    while (out->begin < out->end) {
        size_t n = 0;
        TC_TRY(
            tci_stream_write(stream, out->bytes + out->begin, out->end - out->begin, &n, err));
        out->begin += n;
        TCI_INVARIANT_IS(stream_out, out->begin, <=, out->end);
    }
    out->begin = out->end = 0;
    return TC_OK;
}
