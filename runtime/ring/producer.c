/* The slow paths of a producer: credit, laps and counting. The fast paths are inline in the
 * header. */
#include "producer.h"

#include "base/assertion.h"

void tci_producer_init(tci_producer *p, uint8_t *ring, uint64_t ring_bytes, uint64_t nonce,
                       const tci_ring_word *consumed)
{
    uint64_t reserve = ring_bytes >> TCI_RING_CONTROL_RESERVE_SHIFT;
    uint64_t start = tci_ring_start(nonce);
    TCI_INVARIANT(ring_size,
                  ring_bytes >= TCI_FRAME_GRANULE && (ring_bytes & (ring_bytes - 1)) == 0);
    *p = (tci_producer){.ring = ring,
                        .mask = ring_bytes - 1,
                        .tail = start,
                        .signal = nonce,
                        .limit = start + ring_bytes - reserve,
                        .reserve = reserve,
                        .nonce = nonce,
                        .consumed = consumed,
                        .consumed_seen = start};
}

void tci_producer_refresh(tci_producer *p)
{
    uint64_t consumed = tci_ring_load_consumed(p->consumed);
    if (consumed == p->consumed_seen || p->broken)
        return;
    if (consumed < p->consumed_seen || consumed > p->tail ||
        consumed % TCI_FRAME_GRANULE != 0) {
        p->broken = true;
        return;
    }
    p->consumed_seen = consumed;
    p->limit = consumed + p->mask + 1 - p->reserve;
    TCI_INVARIANT_IS(ring_limit, p->tail, <=, p->limit + p->reserve);
}

uint64_t tci_producer_frames(const tci_producer *p)
{
    /* Newton's iteration: each round doubles the correct low bits of the inverse, from 3 to 96.
     */
    uint64_t inverse = TCI_SIGNAL_STEP;
    for (int i = 0; i < 5; i++)
        inverse *= 2 - TCI_SIGNAL_STEP * inverse;
    return (p->signal - p->nonce) * inverse;
}

/* The first one is signalled last: the consumer polls it, and keeps off the lines behind it. */
void tci_producer_signal(tci_producer *p)
{
    TCI_INVARIANT_IS(ring_unsignalled, p->unsignalled_count, <=, TCI_UNSIGNALLED_MAX);
    uint64_t signal = p->signal;
#pragma GCC unroll 1
    for (unsigned i = p->unsignalled_count; i > 0; i--) {
        signal -= TCI_SIGNAL_STEP;
        tci_ring_store_signal(p->unsignalled[i - 1], signal);
    }
    p->unsignalled_count = 0;
}

static void close_lap(tci_producer *p, uint64_t padding)
{
    const tci_frame wrap = {.kind = TCI_FRAME_WRAP};
    tci_producer_commit(p, p->ring + (p->tail & p->mask), padding, tci_frame_word(&wrap));
    p->padding_frames++;
    p->padding_bytes += padding;
    TCI_INVARIANT_IS(ring_padding, p->padding_bytes, <=, p->tail - tci_ring_start(p->nonce));
}

uint8_t *tci_producer_reserve_slow(tci_producer *p, uint64_t bytes, uint64_t extra)
{
    TCI_INVARIANT(ring_limit,
                  p->broken || p->limit + p->reserve == p->consumed_seen + p->mask + 1);
    TCI_INVARIANT_IS(ring_reserve, extra, <=, p->reserve);
    uint64_t aligned = tci_frame_align(bytes);
    uint64_t padding = p->mask + 1 - (p->tail & p->mask);
    uint64_t skip = padding < aligned ? padding : 0;
    if (p->tail + skip + aligned > p->limit + extra) {
        tci_producer_refresh(p);
        if (p->broken || p->tail + skip + aligned > p->limit + extra)
            return NULL;
    }
    if (skip > 0)
        close_lap(p, padding);
    TCI_INVARIANT_IS(ring_lap, (p->tail & p->mask) + aligned, <=, p->mask + 1);
    TCI_INVARIANT_IS(ring_granule, p->tail % TCI_FRAME_GRANULE, ==, 0);
    return p->ring + (p->tail & p->mask);
}
