#include "transfer/landing.h"

#include "base/clock.h"
#include "base/logger.h"
#include "base/stream_copy.h"
#include "transfer/frame_out.h"
#include "transfer/send_window.h"

#include <sodium.h>
#include <stdlib.h>

#define ALIGNMENT 64u
/* Payloads that are larger than half of the segment go in parts of this share of it. */
#define PART_SHIFT 2
/* Now and then both ways of copying are timed, and the faster one is used until the next time:
 * which it is depends on where the system runs the two processes. Copies past the caches take
 * the segment out of them, so plain ones get one fill of it before they are judged. */
typedef enum phase { WARMING, TIMING_PLAIN, TIMING_STREAM, SETTLED } phase;
#define SETTLED_ROOMS 256u

typedef struct tci_landing {
    tci_segment segment;
    bool open;
    uint64_t room;     /* bytes for payloads */
    uint64_t head;     /* where the next one goes: like positions in a ring, never wraps */
    uint64_t reserved; /* where the reserved one begins */
    bool streams;      /* copies past the caches are faster */
    unsigned phase;
    uint64_t phase_bytes; /* until the next one */
    uint64_t timed_ns[2]; /* of plain copies, of those past the caches */
    tci_send_window window;
} tci_landing;

static uint64_t aligned(uint64_t bytes)
{
    return (bytes + ALIGNMENT - 1) & ~(uint64_t)(ALIGNMENT - 1);
}

static tc_status create(tc_ep *ep, tci_segment_offer *offer_out)
{
    uint64_t room = aligned(ep->core->options.landing_bytes);
    tci_landing *landing = calloc(1, sizeof *landing);
    if (landing == NULL)
        return TC_E_NO_MEMORY;
    ep->tx.landing = landing;
    landing->room = room;
    landing->phase_bytes = room;
    TC_TRY(tci_segment_create(TCI_LANDING_OFFSET + room, &landing->segment, NULL));
    offer_out->id = landing->segment.id;
    offer_out->bytes = landing->segment.bytes;
    randombytes_buf(&offer_out->nonce, sizeof offer_out->nonce);
    memcpy(landing->segment.base, &offer_out->nonce, sizeof offer_out->nonce);
    return TC_OK;
}

void tci_landing_offer(tc_ep *ep)
{
    tci_segment_offer offer;
    uint8_t payload[TCI_SEGMENT_OFFER_BYTES];
    if (ep->tx.landing != NULL || ep->core->options.landing_bytes == 0)
        return;
    if (create(ep, &offer) != TC_OK) {
        TC_LOG(TC_LOG_INFO, "endpoint %u: no shared memory for payloads to land in",
               ep->connection);
        return;
    }
    tci_segment_offer_encode(&offer, payload);
    tci_frame_out_control(ep, TCI_CONTROL_SEGMENT, 0, payload, sizeof payload);
}

void tci_landing_open(tc_ep *ep)
{
    if (ep->tx.landing != NULL && ep->tx.landing->segment.base != NULL)
        ep->tx.landing->open = true;
}

bool tci_landing_is_open(const tc_ep *ep)
{
    return ep->tx.landing != NULL && ep->tx.landing->open;
}

size_t tci_landing_part(const tc_ep *ep, size_t size, size_t left)
{
    uint64_t room = ep->tx.landing->room;
    uint64_t most = size <= room / 2 ? size : aligned(room >> PART_SHIFT);
    return left < most ? left : (size_t)most;
}

/* Laid out one behind the other and around, but from the start whenever nothing lies there:
 * memory that was used last is in the caches. */
static bool find_place(tci_landing *landing, uint64_t bytes)
{
    if (landing->window.count == 0)
        landing->head = 0;
    uint64_t gap = landing->room - landing->head % landing->room;
    landing->reserved = landing->head + (gap < bytes ? gap : 0);
    uint64_t taken = landing->reserved + bytes - (landing->head - landing->window.bytes);
    return taken <= landing->room && !tci_send_window_is_full(&landing->window);
}

uint8_t *tci_landing_reserve(tc_ep *ep, size_t size, uint64_t *place_out)
{
    tci_landing *landing = ep->tx.landing;
    uint64_t bytes = aligned(size);
    tci_send_window_release(&landing->window, ep->tx.ring.consumed_seen);
    if (!find_place(landing, bytes)) {
        tci_producer_refresh(&ep->tx.ring);
        tci_send_window_release(&landing->window, ep->tx.ring.consumed_seen);
        if (!find_place(landing, bytes))
            return NULL;
    }
    *place_out = TCI_LANDING_OFFSET + landing->reserved % landing->room;
    return landing->segment.base + *place_out;
}

static const struct {
    unsigned rooms; /* how long, in fills of the segment */
    bool streams;
    bool timed;
} phases[] = {
    [WARMING] = {1, false, false},
    [TIMING_PLAIN] = {1, false, true},
    [TIMING_STREAM] = {1, true, true},
    [SETTLED] = {SETTLED_ROOMS, false, false},
};

static void next_phase(tci_landing *landing)
{
    landing->phase = (landing->phase + 1) % (SETTLED + 1);
    landing->phase_bytes = phases[landing->phase].rooms * landing->room;
    if (landing->phase == WARMING)
        landing->timed_ns[0] = landing->timed_ns[1] = 0;
    if (landing->phase == SETTLED)
        landing->streams = landing->timed_ns[1] < landing->timed_ns[0];
}

static void copy(uint8_t *to, const uint8_t *from, size_t size, bool streams)
{
    if (streams)
        tci_stream_copy(to, from, size);
    else
        memcpy(to, from, size);
}

void tci_landing_copy(tc_ep *ep, uint8_t *to, const uint8_t *from, size_t size)
{
    tci_landing *landing = ep->tx.landing;
    bool streams =
        landing->phase == SETTLED ? landing->streams : phases[landing->phase].streams;
    if (!TCI_STREAM_COPY_EXISTS || !phases[landing->phase].timed) {
        copy(to, from, size, TCI_STREAM_COPY_EXISTS && streams);
    } else {
        uint64_t start_ns = tci_clock_ns();
        copy(to, from, size, streams);
        landing->timed_ns[streams] += tci_clock_ns() - start_ns;
    }
    if (landing->phase_bytes <= size)
        next_phase(landing);
    else
        landing->phase_bytes -= size;
}

void tci_landing_commit(tc_ep *ep, size_t size)
{
    tci_landing *landing = ep->tx.landing;
    uint64_t end = landing->reserved + aligned(size);
    tci_send_window_add(&landing->window, ep->tx.ring.tail, end - landing->head);
    landing->head = end;
}

uint64_t tci_landing_awaited(const tc_ep *ep)
{
    return ep->tx.landing != NULL ? tci_send_window_awaited(&ep->tx.landing->window)
                                  : UINT64_MAX;
}

/* --- the receiver ------------------------------------------------------------------------- */

void tci_landing_attach(tc_ep *ep, const uint8_t *payload, size_t size)
{
    tci_segment_offer offer;
    tci_segment segment;
    tc_error error = {0};
    uint64_t nonce;
    if (size != TCI_SEGMENT_OFFER_BYTES || ep->rx.landed.base != NULL ||
        !ep->rx.arrival.ring_is_mapped)
        return;
    tci_segment_offer_decode(payload, &offer);
    if (offer.bytes < TCI_LANDING_OFFSET ||
        offer.bytes > TCI_LANDING_OFFSET + (uint64_t)TCI_LANDING_BYTES_MAX ||
        tci_segment_attach(offer.id, (size_t)offer.bytes, &segment, &error) != TC_OK) {
        TC_LOG(TC_LOG_INFO, "endpoint %u: the peer's segment of %llu bytes is not used: %s",
               ep->connection, (unsigned long long)offer.bytes, error.text);
        return;
    }
    memcpy(&nonce, segment.base, sizeof nonce);
    if (nonce != offer.nonce) {
        TC_LOG(TC_LOG_INFO, "endpoint %u: segment %u is not the peer's", ep->connection,
               offer.id);
        tci_segment_detach(&segment);
        return;
    }
    segment.bytes = (size_t)offer.bytes;
    ep->rx.landed = segment;
    tci_frame_out_control(ep, TCI_CONTROL_ATTACHED, 0, NULL, 0);
}

uint8_t *tci_landing_at(const tc_ep *ep, uint64_t place, uint64_t size)
{
    const tci_segment *segment = &ep->rx.landed;
    bool inside = segment->base != NULL && place >= TCI_LANDING_OFFSET &&
                  place % ALIGNMENT == 0 && place <= segment->bytes &&
                  size <= segment->bytes - place;
    return inside ? segment->base + place : NULL;
}

void tci_landing_fini(tc_ep *ep)
{
    tci_segment_detach(&ep->rx.landed);
    if (ep->tx.landing != NULL)
        tci_segment_detach(&ep->tx.landing->segment);
    free(ep->tx.landing);
}
