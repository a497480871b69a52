/* Lays payloads out in the staging segment, and releases them as the peer consumes their
 * frames. The receiver maps the peer's segment and checks offsets into it. */
#include "transfer/staging.h"

#include "base/assertion.h"
#include "base/clock.h"
#include "base/logger.h"
#include "base/stream_copy.h"
#include "transfer/frame_out.h"
#include "transfer/send_window.h"

#include <sodium.h>
#include <stdlib.h>

#define ALIGNMENT 64u
/* Payloads that are larger than half of the segment go in parts of this share of it (a shift).
 */
#define PART_SHIFT 2
/* Both ways of copying are timed from time to time, and the faster one is used until the next
 * time: which one it is depends on where the system runs the two processes. Copies past the
 * caches take the segment out of them, so plain ones get one fill of it before they are timed.
 */
typedef enum phase { WARMING, TIMING_PLAIN, TIMING_STREAM, SETTLED } phase;
#define SETTLED_FILLS 256u

typedef struct tci_staging {
    tci_segment segment;
    bool open;
    uint64_t capacity; /* bytes for payloads */
    uint64_t head;     /* position of the next payload: as in a ring, never wraps */
    uint64_t reserved; /* position of the reserved payload */
    bool streams;      /* copies past the caches are faster */
    unsigned phase;
    uint64_t phase_bytes; /* bytes until the next phase */
    uint64_t timed_ns[2]; /* of plain copies, of those past the caches */
    tci_send_window window;
} tci_staging;

static uint64_t aligned(uint64_t bytes)
{
    return (bytes + ALIGNMENT - 1) & ~(uint64_t)(ALIGNMENT - 1);
}

static tc_status create(tc_ep *ep, tci_segment_offer *offer_out)
{
    uint64_t capacity = aligned(ep->core->options.staging_bytes);
    tci_staging *staging = calloc(1, sizeof *staging);
    if (staging == NULL)
        return TC_E_NO_MEMORY;
    ep->tx.staging = staging;
    staging->capacity = capacity;
    staging->phase_bytes = capacity;
    TC_TRY(tci_segment_create(TCI_STAGING_OFFSET + capacity, &staging->segment, NULL));
    offer_out->id = staging->segment.id;
    offer_out->bytes = staging->segment.bytes;
    randombytes_buf(&offer_out->nonce, sizeof offer_out->nonce);
    memcpy(staging->segment.base, &offer_out->nonce, sizeof offer_out->nonce);
    return TC_OK;
}

static void offer_segment(tc_ep *ep)
{
    tci_segment_offer offer;
    uint8_t payload[TCI_SEGMENT_OFFER_BYTES];
    if (create(ep, &offer) != TC_OK) {
        TC_LOG(TC_LOG_INFO, "endpoint %u: no shared memory for large payloads", ep->connection);
        return;
    }
    tci_segment_offer_encode(&offer, payload);
    tci_frame_out_control(ep, TCI_CONTROL_SEGMENT, 0, payload, sizeof payload);
}

void tci_staging_open(tc_ep *ep)
{
    if (ep->tx.staging != NULL && ep->tx.staging->segment.base != NULL)
        ep->tx.staging->open = true;
}

bool tci_staging_prepare(tc_ep *ep)
{
    if (ep->tx.staging == NULL && ep->core->options.staging_bytes > 0)
        offer_segment(ep);
    return ep->tx.staging != NULL && ep->tx.staging->open;
}

size_t tci_staging_part(const tc_ep *ep, size_t size, size_t left)
{
    uint64_t capacity = ep->tx.staging->capacity;
    uint64_t most = size <= capacity / 2 ? size : aligned(capacity >> PART_SHIFT);
    return left < most ? left : (size_t)most;
}

/* Payloads lie one behind the other and wrap around, but start at 0 again whenever the segment
 * is empty: memory that was used last is in the caches. */
static bool find_space(tci_staging *staging, uint64_t bytes, uint64_t alignment)
{
    if (staging->window.count == 0)
        staging->head = 0;
    TCI_INVARIANT_IS(staging_space, staging->window.bytes, <=, staging->capacity);
    uint64_t left = staging->capacity - staging->head % staging->capacity;
    uint64_t padding = -(staging->head % staging->capacity) & (alignment - 1);
    staging->reserved = staging->head + (left < padding + bytes ? left : padding);
    uint64_t taken = staging->reserved + bytes - (staging->head - staging->window.bytes);
    return taken <= staging->capacity && !tci_send_window_is_full(&staging->window);
}

/* Returns space and its offset; NULL without space. To give it up, do nothing. */
static uint8_t *reserve(tc_ep *ep, size_t size, unsigned alignment, uint64_t *offset_out)
{
    tci_staging *staging = ep->tx.staging;
    uint64_t bytes = aligned(size);
    tci_send_window_release(&staging->window, ep->tx.ring.consumed_seen);
    if (!find_space(staging, bytes, alignment)) {
        tci_producer_refresh(&ep->tx.ring);
        tci_send_window_release(&staging->window, ep->tx.ring.consumed_seen);
        if (!find_space(staging, bytes, alignment))
            return NULL;
    }
    *offset_out = TCI_STAGING_OFFSET + staging->reserved % staging->capacity;
    TCI_INVARIANT_IS(staging_inside, *offset_out + size, <=, staging->segment.bytes);
    return staging->segment.base + *offset_out;
}

static const struct {
    unsigned fills; /* length, in fills of the segment */
    bool streams;
    bool timed;
} phases[] = {
    [WARMING] = {1, false, false},
    [TIMING_PLAIN] = {1, false, true},
    [TIMING_STREAM] = {1, true, true},
    [SETTLED] = {SETTLED_FILLS, false, false},
};

static void next_phase(tci_staging *staging)
{
    staging->phase = (staging->phase + 1) % (SETTLED + 1);
    staging->phase_bytes = phases[staging->phase].fills * staging->capacity;
    if (staging->phase == WARMING)
        staging->timed_ns[0] = staging->timed_ns[1] = 0;
    if (staging->phase == SETTLED)
        staging->streams = staging->timed_ns[1] < staging->timed_ns[0];
}

static void copy(uint8_t *to, const uint8_t *from, size_t size, bool streams)
{
    if (streams)
        tci_stream_copy(to, from, size);
    else
        memcpy(to, from, size);
}

/* Copies in the way that is faster here. */
static void copy_timed(tci_staging *staging, uint8_t *to, const uint8_t *from, size_t size)
{
    bool streams =
        staging->phase == SETTLED ? staging->streams : phases[staging->phase].streams;
    if (!TCI_STREAM_COPY_EXISTS || !phases[staging->phase].timed) {
        copy(to, from, size, TCI_STREAM_COPY_EXISTS && streams);
    } else {
        uint64_t start_ns = tci_clock_ns();
        copy(to, from, size, streams);
        staging->timed_ns[streams] += tci_clock_ns() - start_ns;
    }
    if (staging->phase_bytes <= size)
        next_phase(staging);
    else
        staging->phase_bytes -= size;
}

/* Keeps the reserved space in use until the frame that was committed last is consumed. */
static void commit(tc_ep *ep, size_t size)
{
    tci_staging *staging = ep->tx.staging;
    uint64_t end = staging->reserved + aligned(size);
    TCI_INVARIANT_IS(staging_inside, staging->reserved % staging->capacity + size, <=,
                     staging->capacity);
    tci_send_window_add(&staging->window, ep->tx.ring.tail, end - staging->head);
    staging->head = end;
    TCI_INVARIANT_IS(staging_space, staging->window.bytes, <=, staging->capacity);
}

bool tci_staging_send(tc_ep *ep, tci_frame header, tci_staged staged, const void *from,
                      unsigned alignment, tci_span code)
{
    uint8_t bytes[TCI_STAGED_BYTES];
    const size_t size = (size_t)staged.size;
    uint8_t *to = reserve(ep, size, alignment, &staged.offset);
    /* Asks for the frame's space first: the payload is long. */
    const size_t frame_bytes = tci_frame_code_bytes(sizeof bytes, code.size);
    if (to == NULL || tci_frame_out_begin(ep, header.kind, frame_bytes) == NULL)
        return false;
    copy_timed(ep->tx.staging, to, from, size);
    tci_staged_encode(&staged, bytes);
    if (!tci_frame_out_put(ep, header, (tci_span){bytes, sizeof bytes}, (tci_span){0}, code))
        return false;
    commit(ep, size);
    ep->tx.pushed_bytes += size;
    return true;
}

uint64_t tci_staging_awaited(const tc_ep *ep)
{
    return ep->tx.staging != NULL ? tci_send_window_awaited(&ep->tx.staging->window)
                                  : UINT64_MAX;
}

/* --- the receiver ------------------------------------------------------------------------ */

/* Maps the segment without write access if this side never writes to it. */
static tc_status attach(const tc_ep *ep, const tci_segment_offer *offer,
                        tci_segment *segment_out, tc_error *err)
{
    return ep->core->options.payload == TCI_PAYLOAD_READONLY
               ? tci_segment_attach_view(offer->id, (size_t)offer->bytes, segment_out, err)
               : tci_segment_attach(offer->id, (size_t)offer->bytes, segment_out, err);
}

void tci_staging_attach(tc_ep *ep, const uint8_t *payload, size_t size)
{
    tci_segment_offer offer;
    tci_segment segment;
    tc_error error = {0};
    uint64_t nonce;
    if (size != TCI_SEGMENT_OFFER_BYTES || ep->rx.staged.base != NULL ||
        !ep->rx.arrival.ring_is_mapped)
        return;
    tci_segment_offer_decode(payload, &offer);
    if (offer.bytes < TCI_STAGING_OFFSET ||
        offer.bytes > TCI_STAGING_OFFSET + (uint64_t)TCI_STAGING_BYTES_MAX ||
        attach(ep, &offer, &segment, &error) != TC_OK) {
        TC_LOG_RATIONED(&ep->log, TC_LOG_INFO,
                        "endpoint %u: the peer's segment of %llu bytes is not used: %s",
                        ep->connection, (unsigned long long)offer.bytes, error.text);
        return;
    }
    memcpy(&nonce, segment.base, sizeof nonce);
    if (nonce != offer.nonce) {
        TC_LOG_RATIONED(&ep->log, TC_LOG_INFO, "endpoint %u: segment %u is not the peer's",
                        ep->connection, offer.id);
        tci_segment_detach(&segment);
        return;
    }
    segment.bytes = (size_t)offer.bytes;
    ep->rx.staged = segment;
    tci_frame_out_control(ep, TCI_CONTROL_ATTACHED, 0, NULL, 0);
}

uint8_t *tci_staging_at(const tc_ep *ep, uint64_t offset, uint64_t size)
{
    const tci_segment *segment = &ep->rx.staged;
    bool inside = segment->base != NULL && offset >= TCI_STAGING_OFFSET &&
                  offset % ALIGNMENT == 0 && offset <= segment->bytes &&
                  size <= segment->bytes - offset;
    return inside ? segment->base + offset : NULL;
}

void tci_staging_fini(tc_ep *ep)
{
    tci_segment_detach(&ep->rx.staged);
    if (ep->tx.staging != NULL)
        tci_segment_detach(&ep->tx.staging->segment);
    free(ep->tx.staging);
}
