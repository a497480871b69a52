#include "stream_bytes.h"

#include "base/assertion.h"
#include "base/error_text.h"
#include "stream_object.h"

#include <stdlib.h>
#include <string.h>

struct tci_stream_wide {
    size_t in_begin, in_end;   /* bytes read and not skipped */
    size_t out_begin, out_end; /* bytes that wait to be written */
    uint8_t in[TCI_STREAM_WIDE_BYTES];
    uint8_t out[TCI_STREAM_WIDE_BYTES];
};

tc_status tci_stream_widen(tci_stream *stream, tc_error *err)
{
    if (stream->wide != NULL)
        return TC_OK;
    tci_stream_wide *wide = malloc(sizeof *wide);
    if (wide == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "connection to %s: out of memory",
                             stream->channel.peer);
    /* The buffers stay untouched until they are needed. */
    wide->in_begin = wide->in_end = wide->out_begin = 0;
    wide->out_end = stream->send_end - stream->send_begin;
    memcpy(wide->out, stream->send_bytes + stream->send_begin, wide->out_end);
    stream->send_begin = stream->send_end = 0;
    stream->wide = wide;
    return TC_OK;
}

tc_status tci_stream_send_error(const tci_stream *stream, tc_error *err)
{
    const tc_error *kept = &stream->send_error;
    return kept->status == TC_OK ? TC_OK : tci_error_set(err, kept->status, "%s", kept->text);
}

/* --- receiving --------------------------------------------------------------------------- */

const uint8_t *tci_stream_look(const tci_stream *stream, size_t *size_out)
{
    const tci_stream_wide *wide = stream->wide;
    *size_out = wide->in_end - wide->in_begin;
    return wide->in + wide->in_begin;
}

void tci_stream_skip(tci_stream *stream, size_t size)
{
    tci_stream_wide *wide = stream->wide;
    TCI_INVARIANT_IS(stream_in, size, <=, wide->in_end - wide->in_begin);
    wide->in_begin += size;
    if (wide->in_begin == wide->in_end)
        wide->in_begin = wide->in_end = 0;
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

tc_status tci_stream_fill(tci_stream *stream, bool *more_out, tc_error *err)
{
    tci_stream_wide *wide = stream->wide;
    size_t n = 0;
    if (wide->in_begin > 0) {
        memmove(wide->in, wide->in + wide->in_begin, wide->in_end - wide->in_begin);
        wide->in_end -= wide->in_begin;
        wide->in_begin = 0;
    }
    size_t capacity = sizeof wide->in - wide->in_end;
    if (capacity == 0)
        return TC_E_AGAIN;
    TC_TRY(tci_stream_read(stream, wide->in + wide->in_end, capacity, &n, err));
    wide->in_end += n;
    TCI_INVARIANT_IS(stream_in, wide->in_end, <=, sizeof wide->in);
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
    return stream->wide->out_end - stream->wide->out_begin;
}

size_t tci_stream_room(const tci_stream *stream)
{
    return sizeof stream->wide->out - tci_stream_unsent(stream);
}

void tci_stream_add(tci_stream *stream, const void *bytes, size_t size)
{
    tci_stream_wide *wide = stream->wide;
    if (size > sizeof wide->out - wide->out_end) {
        memmove(wide->out, wide->out + wide->out_begin, wide->out_end - wide->out_begin);
        wide->out_end -= wide->out_begin;
        wide->out_begin = 0;
    }
    TCI_INVARIANT_IS(stream_out, size, <=, sizeof wide->out - wide->out_end);
    if (size > 0)
        memcpy(wide->out + wide->out_end, bytes, size);
    wide->out_end += size;
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
    tci_stream_wide *wide = stream->wide;
    while (wide->out_begin < wide->out_end) {
        size_t n = 0;
        TC_TRY(tci_stream_write(stream, wide->out + wide->out_begin,
                                wide->out_end - wide->out_begin, &n, err));
        wide->out_begin += n;
        TCI_INVARIANT_IS(stream_out, wide->out_begin, <=, wide->out_end);
    }
    wide->out_begin = wide->out_end = 0;
    return TC_OK;
}
