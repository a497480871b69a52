/* Takes records and hello messages from the stream's buffer, and reads the rest of a large body
 * directly from the connection. */
#include "endpoint/record_in.h"

#include "base/assertion.h"
#include "bootstrap/stream_bytes.h"
#include "core/credit.h"
#include "core/ep_state.h"
#include "endpoint/handshake.h"
#include "transfer/code_in.h"
#include "transfer/payload_in.h"

#include <stdlib.h>
#include <string.h>

/* Bounded, because other endpoints have to be served too. */
#define READS_PER_TURN 8u
#define SIGNAL_BYTES sizeof(uint64_t)
/* So much of a body is left that epoll reports it; and so much more that it does so by large
 * pieces alone: a piece is still to come then, even if a protected connection has read
 * ahead. */
#define BULK_BYTES (32u << 10)
#define BULK_MORE_BYTES (256u << 10)
#define BULK_PIECE_BYTES (64u << 10)

tc_status tci_record_in_begin(tc_ep *ep, tc_error *err)
{
    tci_core *core = ep->core;
    tci_record_in *in = calloc(1, sizeof *in);
    if (in == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "endpoint: out of memory");
    in->ep = ep;
    in->next = core->streams;
    in->previous_next = &core->streams;
    if (in->next != NULL)
        in->next->previous_next = &in->next;
    core->streams = in;
    core->stream_count++;
    TCI_INVARIANT(record_streams, ep->rx.records == NULL);
    ep->rx.records = in;
    return TC_OK;
}

static void end_sink(tci_record_in *in, bool ok)
{
    if (in->sink.done != NULL)
        in->sink.done(in->sink.user, in->record.size - TCI_RECORD_PAYLOAD_HEAD_BYTES, ok);
    in->sink.done = NULL;
}

void tci_record_in_end(tc_ep *ep)
{
    tci_record_in *in = ep->rx.records;
    if (in == NULL)
        return;
    end_sink(in, false);
    *in->previous_next = in->next;
    if (in->next != NULL)
        in->next->previous_next = in->previous_next;
    TCI_INVARIANT_IS(record_streams, ep->core->stream_count, >, 0);
    TCI_INVARIANT(record_streams, in->next == NULL || ep->core->stream_count > 1);
    ep->core->stream_count--;
    ep->rx.records = NULL;
    free(in);
}

/* --- bodies that arrive in parts --------------------------------------------------------- */

static void end_body(tci_record_in *in)
{
    tc_ep *ep = in->ep;
    if (in->record.kind == TCI_RECORD_PAYLOAD) {
        end_sink(in, true);
        return;
    }
    tci_ring_store_signal(ep->rx.ring.filled + (size_t)in->record.position * TCI_FRAME_GRANULE,
                          in->signal);
    tci_ep_frames_came(ep);
}

static void note_body(tci_record_in *in, size_t n)
{
    TCI_INVARIANT_IS(record_left, n, <=, in->left);
    if (in->to != NULL)
        in->to += n;
    in->left -= n;
    if (in->left == 0)
        end_body(in);
}

static void take_body(tci_record_in *in, const uint8_t *bytes, size_t size)
{
    size_t n = size < in->left ? size : in->left;
    if (in->to != NULL)
        memcpy(in->to, bytes, n);
    tci_stream_skip(in->ep->stream, n);
    note_body(in, n);
}

static void begin_frames(tci_record_in *in, const uint8_t *body)
{
    tc_ep *ep = in->ep;
    if (!tci_ep_expects_frames(ep, in->record.position, in->record.size))
        return;
    memcpy(&in->signal, body, SIGNAL_BYTES);
    in->to =
        ep->rx.ring.filled + (size_t)in->record.position * TCI_FRAME_GRANULE + SIGNAL_BYTES;
    in->left = in->record.size - SIGNAL_BYTES;
    TCI_INVARIANT_IS(record_left, in->left, <, in->record.size);
}

static void begin_payload(tci_record_in *in, const uint8_t *body)
{
    tci_payload_header header = {.to.position = in->record.position};
    size_t size = in->record.size - TCI_RECORD_PAYLOAD_HEAD_BYTES;
    memcpy(header.fragment, body, sizeof header.fragment);
    in->to = NULL;
    in->sink.done = NULL;
    if (tci_payload_in_take(in->ep, &header, size, &in->sink))
        in->to = in->sink.to;
    in->left = size;
    TCI_INVARIANT_IS(record_left, in->left, <, in->record.size);
}

/* --- received data ----------------------------------------------------------------------- */

/* Returns the number of bytes of a body that must be received before it is processed. */
static size_t needed_bytes(const tci_record *record, size_t there)
{
    if (record->kind == TCI_RECORD_PAYLOAD)
        return TCI_RECORD_PAYLOAD_HEAD_BYTES;
    return record->kind == TCI_RECORD_FRAMES && there < record->size ? SIGNAL_BYTES
                                                                     : record->size;
}

static void begin_record(tci_record_in *in, const uint8_t *body, size_t needed)
{
    tc_ep *ep = in->ep;
    switch (in->record.kind) {
    case TCI_RECORD_FRAMES:
        if (needed < in->record.size)
            begin_frames(in, body);
        else
            tci_ep_take_frames(ep, in->record.position, body, needed);
        return;
    case TCI_RECORD_CREDIT:
        tci_credit_take(ep, body, needed);
        return;
    case TCI_RECORD_CODE:
        tci_code_in_fragment(ep, body, needed);
        return;
    case TCI_RECORD_PAYLOAD:
        begin_payload(in, body);
        return;
    }
}

/* TC_E_AGAIN: more has to be received first. */
static tc_status take_record(tci_record_in *in, const uint8_t *bytes, size_t size,
                             tc_error *err)
{
    tc_ep *ep = in->ep;
    if (size < TCI_RECORD_HEADER_BYTES)
        return TC_E_AGAIN;
    TC_TRY(tci_record_decode(bytes, in->sequence, &in->record, err));
    if (!tci_ep_is_open(ep))
        return tci_error_set(err, TC_E_CORRUPT, "record of kind 0x%02x before READY",
                             (unsigned)in->record.kind);
    const uint8_t *body = bytes + TCI_RECORD_HEADER_BYTES;
    size_t there = size - TCI_RECORD_HEADER_BYTES;
    size_t needed = needed_bytes(&in->record, there);
    if (there < needed)
        return TC_E_AGAIN;
    in->sequence++;
    begin_record(in, body, needed);
    tci_stream_skip(ep->stream, TCI_RECORD_HEADER_BYTES + needed);
    return TC_OK;
}

static tc_status take_hello(tc_ep *ep, const uint8_t *bytes, size_t size, tc_error *err)
{
    tci_hello_preamble preamble;
    if (size < TCI_HELLO_PREAMBLE_BYTES)
        return TC_E_AGAIN;
    TC_TRY(tci_hello_preamble_decode(bytes, size, &preamble, err));
    size_t needed = TCI_HELLO_PREAMBLE_BYTES + preamble.body_bytes;
    if (size < needed)
        return TC_E_AGAIN;
    tci_handshake_message(ep, preamble.kind, bytes, needed);
    tci_stream_skip(ep->stream, needed);
    return TC_OK;
}

/* Takes all that is in the stream's buffer. TC_E_AGAIN: more has to be received, or the
 * endpoint has ended. */
static tc_status take_buffered(tci_record_in *in, bool *took, tc_error *err)
{
    tc_ep *ep = in->ep;
    while (ep->state < TCI_EP_CLOSED && !ep->peer.said_bye) {
        size_t size;
        tc_status status = TC_OK;
        const uint8_t *bytes = tci_stream_look(ep->stream, &size);
        if (size == 0)
            return TC_E_AGAIN;
        if (in->left > 0)
            take_body(in, bytes, size);
        else if (tci_record_begins(bytes[0]))
            status = take_record(in, bytes, size, err);
        else
            status = take_hello(ep, bytes, size, err);
        TC_TRY(status);
        *took = true;
    }
    return TC_E_AGAIN;
}

static tc_status read_more(tci_record_in *in, bool *more, bool *took, tc_error *err)
{
    tci_stream *stream = in->ep->stream;
    size_t n = 0, buffered;
    (void)tci_stream_look(stream, &buffered);
    if (in->left == 0 || in->to == NULL || buffered > 0)
        return tci_stream_fill(stream, more, err);
    TC_TRY(tci_stream_read(stream, in->to, in->left, &n, more, err));
    note_body(in, n);
    *took = true;
    return TC_OK;
}

/* A read while the sender writes makes both wait for the socket's lock, so small pieces are not
 * worth it. */
static void note_bulk(tci_record_in *in)
{
    const bool by_pieces = in->left >= BULK_MORE_BYTES;
    in->bulk = in->left >= BULK_BYTES;
    if (by_pieces == in->by_pieces)
        return;
    in->by_pieces = by_pieces;
    tci_stream_set_least(in->ep->stream, by_pieces ? BULK_PIECE_BYTES : 1);
}

tc_status tci_record_in_take(tc_ep *ep, tc_error *err)
{
    tci_record_in *in = ep->rx.records;
    bool more = true, took = false;
    for (unsigned reads = 0;; reads++) {
        tc_status status = take_buffered(in, &took, err);
        if (status != TC_E_AGAIN || ep->state >= TCI_EP_CLOSED || ep->peer.said_bye)
            return status;
        if (more && reads < READS_PER_TURN)
            status = read_more(in, &more, &took, err);
        if (status == TC_E_AGAIN)
            note_bulk(in);
        if (status != TC_OK)
            return took ? TC_E_AGAIN : status;
    }
}
