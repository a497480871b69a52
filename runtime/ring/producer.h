/* The writing side of a ring.
 *
 * Positions are bytes since the start and never wrap; a position's place in the ring is position & mask. Single-threaded. */
#ifndef TCI_PRODUCER_H
#define TCI_PRODUCER_H

#include "ring/ring_layout.h"
#include "wire/frame.h"

typedef struct tci_producer {
    uint8_t *ring;      /* mapped memory of the consumer, or a ring of this side's own */
    uint64_t mask;
    uint64_t tail;      /* where the next frame goes */
    uint64_t signal;    /* that the next frame gets */
    uint64_t limit;     /* data frames may end here: consumed + ring bytes - control reserve */
    uint64_t reserve;
    const tci_ring_word *consumed;
    uint64_t consumed_seen;
    bool broken;        /* the consumer's word ran backwards or ahead of us */
} tci_producer;

void tci_producer_init(tci_producer *p, uint8_t *ring, uint64_t ring_bytes, uint64_t nonce,
                       const tci_ring_word *consumed);

/* Reads the consumer's word again. A word that runs backwards or ahead is a broken peer: nothing is granted any more. */
void tci_producer_refresh(tci_producer *p);

/* reserve when the fast path below cannot: refreshes the credit, and closes the lap with a WRAP frame. `extra` is
 * the part of the control reserve that this frame may use. NULL: no credit. */
uint8_t *tci_producer_reserve_slow(tci_producer *p, uint64_t bytes, uint64_t extra);

/* Room for a frame of `bytes` (header included, at most tci_ring_frame_max), contiguous; NULL when there is no credit.
 * Nothing is seen by the consumer before commit; to give a reservation up, do nothing. */
static inline uint8_t *tci_producer_reserve(tci_producer *p, uint64_t bytes)
{
    uint64_t at = p->tail & p->mask;
    uint64_t aligned = tci_frame_align(bytes);
    if (__builtin_expect(p->tail + aligned <= p->limit && at + aligned <= p->mask + 1, 1))
        return p->ring + at;
    return tci_producer_reserve_slow(p, bytes, 0);
}

/* The same for control frames, which may use the reserve too. */
static inline uint8_t *tci_producer_reserve_control(tci_producer *p, uint64_t bytes)
{
    return tci_producer_reserve_slow(p, bytes, p->reserve);
}

/* Publishes the frame that reserve gave. */
static inline void tci_producer_commit(tci_producer *p, uint8_t *frame, uint64_t bytes,
                                       uint64_t header_word)
{
    tci_ring_store_word(frame + 8, header_word);
    tci_ring_store_signal(frame, p->signal);
    p->signal += TCI_SIGNAL_STEP;
    p->tail += tci_frame_align(bytes);
}

/* Everything that was committed has been consumed. */
static inline bool tci_producer_drained(const tci_producer *p)
{
    return p->consumed_seen == p->tail;
}

#endif
