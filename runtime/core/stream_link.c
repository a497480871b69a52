/* Operations wait in a list, in order; write_all gives their records to the stream, head first
 * and then the body, until the connection takes no more, and tc_progress continues. An
 * operation has ended once all its bytes are with the stream. */
#include "core/stream_link.h"

#include "base/assertion.h"
#include "bootstrap/stream_bytes.h"
#include "delivery/link_ops.h"
#include "wire/record.h"

#include <stdlib.h>
#include <string.h>

/* A larger body is written from its sender's buffer. A smaller one is copied, so that it shares
 * a write with its neighbours, and on a protected connection a piece of 16 KiB. */
#define COPIED_BYTES_MAX 16384u

typedef struct stream_link {
    tci_link base;
    tc_ep *ep;
    uint32_t sequence; /* of the next record */
    tci_link_op *first, **last;
    bool begun;          /* the head of the first one was given to the stream */
    size_t given;        /* bytes of its body that were given to it */
    tci_link_op *called; /* one inside its send call, which reports its end itself */
    bool watches_space;  /* the connection is watched for writing */
} stream_link;

/* A hello message: not a record. */
typedef struct posted_hello {
    tci_link_op op;
    uint8_t bytes[];
} posted_hello;

static const tci_link_ops stream_ops;

static stream_link *stream_link_of(tci_link *link)
{
    return (stream_link *)(void *)link; /* its first member */
}

tc_status tci_stream_link_open(tc_ep *ep, tci_link **link_out, tc_error *err)
{
    stream_link *link = calloc(1, sizeof *link);
    if (link == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "link: out of memory");
    tc_status status = tci_stream_widen(ep->stream, &ep->core->spares, err);
    if (status != TC_OK) {
        free(link);
        return status;
    }
    link->base.ops = &stream_ops;
    link->ep = ep;
    link->last = &link->first;
    *link_out = &link->base;
    return TC_OK;
}

static void end_first(stream_link *link)
{
    tci_link_op *op = link->first;
    TCI_INVARIANT(link_list, op != NULL && link->last != &link->first);
    link->first = op->next;
    if (link->first == NULL)
        link->last = &link->first;
    link->begun = false;
    if (link->called == op)
        link->called = NULL;
    else
        op->done(op);
}

/* --- writing ----------------------------------------------------------------------------- */

static tci_record_kind record_kind(unsigned kind)
{
    static const tci_record_kind kinds[] = {
        [TCI_AM_FRAMES] = TCI_RECORD_FRAMES,
        [TCI_AM_CREDIT] = TCI_RECORD_CREDIT,
        [TCI_AM_CODE] = TCI_RECORD_CODE,
        [TCI_AM_PAYLOAD] = TCI_RECORD_PAYLOAD,
    };
    return kinds[kind];
}

/* Gives the head of a record to the stream. Returns false if there is no space now. */
static bool begin(stream_link *link, const tci_link_op *op)
{
    uint8_t bytes[TCI_RECORD_HEADER_BYTES];
    const size_t head_bytes = op->head != NULL ? TCI_RECORD_PAYLOAD_HEAD_BYTES : 0;
    if (op->kind != TCI_AM_HELLO) {
        if (tci_stream_room(link->ep->stream) < sizeof bytes + head_bytes)
            return false;
        const tci_record record = {.kind = record_kind(op->kind),
                                   .position = op->header.position,
                                   .size = (uint32_t)(head_bytes + op->size),
                                   .sequence = link->sequence++};
        tci_record_encode(&record, bytes);
        tci_stream_add(link->ep->stream, bytes, sizeof bytes);
        tci_stream_add(link->ep->stream, op->head, head_bytes);
    }
    link->begun = true;
    link->given = 0;
    return true;
}

/* Gives some of the body to the stream, and flushes if more is left. TC_OK: continue. */
static tc_status write_some(stream_link *link, const tci_link_op *op)
{
    tci_stream *stream = link->ep->stream;
    TCI_INVARIANT_IS(link_given, link->given, <, op->size);
    size_t left = op->size - link->given;
    size_t capacity = tci_stream_room(stream);
    size_t n = 0;
    const uint8_t *bytes = op->bytes + link->given;
    if (left > COPIED_BYTES_MAX && tci_stream_unsent(stream) == 0) {
        TC_TRY(tci_stream_write(stream, bytes, left, &n, NULL));
    } else if (left > COPIED_BYTES_MAX && tci_stream_is_clear(stream)) {
        TC_TRY(tci_stream_write_behind(stream, bytes, left, &n, NULL));
    } else {
        n = left < capacity ? left : capacity;
        /* A large body fills up the piece, so that the write has whole pieces. */
        if (left > COPIED_BYTES_MAX)
            n = COPIED_BYTES_MAX - tci_stream_unsent(stream) % COPIED_BYTES_MAX;
        n = n < capacity ? n : capacity;
        tci_stream_add(stream, bytes, n);
    }
    link->given += n;
    TCI_INVARIANT_IS(link_given, link->given, <=, op->size);
    bool full = link->given < op->size;
    return full && tci_stream_unsent(stream) > 0 ? tci_stream_flush(stream, NULL) : TC_OK;
}

/* TC_E_AGAIN: the connection takes no more now. */
static tc_status write_all(stream_link *link)
{
    tci_stream *stream = link->ep->stream;
    while (link->first != NULL) {
        const tci_link_op *op = link->first;
        if (!link->begun && !begin(link, op))
            TC_TRY(tci_stream_flush(stream, NULL));
        else if (link->given < op->size)
            TC_TRY(write_some(link, op));
        else
            end_first(link);
    }
    return tci_stream_flush(stream, NULL);
}

/* Sends as much as the connection takes; tc_progress continues with the rest. An error is
 * reported when the connection receives. */
static bool turn(tci_link *base)
{
    stream_link *link = stream_link_of(base);
    if (link->first == NULL && tci_stream_unsent(link->ep->stream) == 0)
        return true;
    if (write_all(link) != TC_E_AGAIN)
        return true;
    tci_pending_add(&link->ep->core->pending, TCI_WORK_LINK);
    return false;
}

static void watch_space(tci_link *base, bool sleeps)
{
    stream_link *link = stream_link_of(base);
    bool watch = sleeps && !turn(base);
    if (watch == link->watches_space)
        return;
    link->watches_space = watch;
    tci_core_watch_room(link->ep->core, tci_stream_fd(link->ep->stream), link->ep->connection,
                        watch);
}

/* --- sending ----------------------------------------------------------------------------- */

static void append(stream_link *link, tci_link_op *op)
{
    op->next = NULL;
    TCI_INVARIANT(link_list, *link->last == NULL);
    *link->last = op;
    link->last = &op->next;
}

static tc_status send_op(stream_link *link, tci_am kind, tci_link_op *op, const void *bytes,
                         size_t size, bool *under_way_out)
{
    op->kind = (uint8_t)kind;
    op->bytes = bytes;
    op->size = size;
    append(link, op);
    link->called = op;
    (void)turn(&link->base);
    *under_way_out = link->called == op;
    link->called = NULL;
    return TC_OK;
}

static tc_status send_plain(tci_link *base, tci_am kind, uint16_t position, tci_link_op *op,
                            const void *bytes, size_t size, bool *under_way_out)
{
    op->header.position = position;
    op->head = NULL;
    return send_op(stream_link_of(base), kind, op, bytes, size, under_way_out);
}

static tc_status send_payload(tci_link *base, uint16_t number, tci_payload_header *header,
                              tci_link_op *op, const void *bytes, size_t size,
                              bool *under_way_out)
{
    op->header.position = number;
    op->head = header->fragment;
    return send_op(stream_link_of(base), TCI_AM_PAYLOAD, op, bytes, size, under_way_out);
}

static void free_posted(tci_link_op *op)
{
    free(op->user);
}

static tc_status post(tci_link *base, tci_am kind, const void *bytes, size_t size,
                      tc_error *err)
{
    posted_hello *hello = malloc(sizeof *hello + size);
    bool under_way;
    if (hello == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "message: out of memory");
    hello->op = (tci_link_op){.done = free_posted, .user = hello};
    memcpy(hello->bytes, bytes, size);
    TC_TRY(send_plain(base, kind, 0, &hello->op, hello->bytes, size, &under_way));
    if (!under_way)
        free(hello);
    return TC_OK;
}

/* --- the rest ---------------------------------------------------------------------------- */

static bool has_bytes(const tci_link *base)
{
    return tci_stream_has_bytes(((const stream_link *)(const void *)base)->ep->stream);
}

static tc_status error_of(const tci_link *base, tc_error *err)
{
    const stream_link *link = (const stream_link *)(const void *)base;
    return tci_stream_send_error(link->ep->stream, err);
}

/* The link is ready at once: the peer's HELLO came over the connection. */
static tc_status ready(tci_link *base, tc_error *err)
{
    return error_of(base, err);
}

static void flush_begin(tci_link *base)
{
    (void)turn(base);
}

static bool flush_ended(tci_link *base)
{
    return turn(base);
}

static void close_link(tci_link *base, uint64_t timeout_ns)
{
    stream_link *link = stream_link_of(base);
    (void)timeout_ns;
    while (link->first != NULL)
        end_first(link);
    free(link);
}

static const tci_link_ops stream_ops = {
    .carries = TCI_LINK_RECORDS,
    .lacks = "the two sides have no UCX in common, or one of them wants all to go over the "
             "connection",
    .part_bytes = TCI_RECORD_PAYLOAD_BYTES_MAX,
    .ready = ready,
    .close = close_link,
    .flush_begin = flush_begin,
    .flush_ended = flush_ended,
    .turn = turn,
    .has_bytes = has_bytes,
    .watch_space = watch_space,
    .error = error_of,
    .post = post,
    .send = send_plain,
    .send_payload = send_payload,
};
