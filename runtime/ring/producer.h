/* The writing side of a ring.
 *
 * Positions are in bytes, begin at tci_ring_start and never wrap; a position's place in the
 * ring is position & mask. Single-threaded. */
#ifndef TCI_PRODUCER_H
#define TCI_PRODUCER_H

#include "base/assertion.h"
#include "ring/ring_layout.h"
#include "wire/frame.h"

typedef struct tci_producer {
    uint8_t *ring; /* mapped memory of the consumer, or a ring of this side's own */
    uint64_t mask;
    uint64_t tail;   /* where the next frame goes */
    uint64_t signal; /* that the next frame gets */
    uint64_t limit;  /* data frames may end here: consumed + ring bytes - control reserve */
    uint64_t reserve;
    uint64_t nonce;
    uint64_t padding_frames; /* frames that only closed a lap, and the bytes that they took */
    uint64_t padding_bytes;
    const tci_ring_word *consumed;
    uint64_t consumed_seen;
    bool broken; /* the consumer's word ran backwards or ahead of us */
} tci_producer;

void tci_producer_init(tci_producer *p, uint8_t *ring, uint64_t ring_bytes, uint64_t nonce,
                       const tci_ring_word *consumed);

/* Reads the consumer's word again. A word that runs backwards or ahead is a broken peer:
 * nothing is granted any more. */
void tci_producer_refresh(tci_producer *p);

/* reserve when the fast path below cannot: refreshes the credit, and closes the lap with a WRAP
 * frame. `extra` is the part of the control reserve that this frame may use. NULL: no credit.
 */
uint8_t *tci_producer_reserve_slow(tci_producer *p, uint64_t bytes, uint64_t extra);

/* Whether there is room for `count` frames of one granule, without another look at the
 * consumer. One always ends where the ring ends or before it, so they need no padding. */
static inline bool tci_producer_has_granules(const tci_producer *p, unsigned count)
{
    return p->tail + (uint64_t)count * TCI_FRAME_GRANULE <= p->limit;
}

/* Where the next frame goes, if it goes there. */
static inline uint8_t *tci_producer_next(const tci_producer *p)
{
    return p->ring + (p->tail & p->mask);
}

/* tci_producer_reserve without another look at the consumer and without closing a lap. */
static inline uint8_t *tci_producer_try_reserve(tci_producer *p, uint64_t bytes)
{
    uint64_t at = p->tail & p->mask;
    uint64_t aligned = tci_frame_align(bytes);
    if (p->tail + aligned > p->limit || at + aligned > p->mask + 1)
        return NULL;
    return p->ring + at;
}

/* Room for a frame of `bytes` (header included, at most tci_ring_frame_max), contiguous; NULL
 * when there is no credit. Nothing is seen by the consumer before commit; to give a reservation
 * up, do nothing. */
static inline uint8_t *tci_producer_reserve(tci_producer *p, uint64_t bytes)
{
    uint8_t *frame = tci_producer_try_reserve(p, bytes);
    return frame != NULL ? frame : tci_producer_reserve_slow(p, bytes, 0);
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
    TCI_ASSERT(frame == tci_producer_next(p));
    tci_ring_store_word(frame + 8, header_word);
    tci_ring_store_signal(frame, p->signal);
    p->signal += TCI_SIGNAL_STEP;
    p->tail += tci_frame_align(bytes);
    TCI_ASSERT(p->tail - p->consumed_seen <= p->mask + 1);
}

/* The same for a frame of one granule whose payload of at most 8 bytes comes as a number: it
 * leaves in one store with the header word, so the frame is two stores in all
 * (base/small_copy.h says why that counts). */
static inline void tci_producer_commit_word(tci_producer *p, uint8_t *frame,
                                            uint64_t header_word, uint64_t payload)
{
    typedef uint64_t two_words __attribute__((vector_size(16)));
    const two_words both = {header_word, payload};
    memcpy(frame + 8, &both, sizeof both);
    tci_ring_store_signal(frame, p->signal);
    p->signal += TCI_SIGNAL_STEP;
    p->tail += TCI_FRAME_GRANULE;
    TCI_ASSERT(p->tail - p->consumed_seen <= p->mask + 1);
}

/* A short call that is not in the ring yet. */
typedef struct tci_short_call {
    uint64_t header_word;
    uint64_t payload;
} tci_short_call;

/* Commits `count` of them; there is room, see tci_producer_has_granules. The producer stays in
 * registers meanwhile, so nothing but frames is stored, and lines that the consumer holds are
 * asked for many at a time. */
static inline void tci_producer_commit_calls(tci_producer *p, const tci_short_call *calls,
                                             unsigned count)
{
    tci_producer local = *p;
    for (unsigned i = 0; i < count; i++)
        tci_producer_commit_word(&local, tci_producer_next(&local), calls[i].header_word,
                                 calls[i].payload);
    p->signal = local.signal;
    p->tail = local.tail;
}

/* How many frames were committed, of every kind. The signal counts them, so nothing else has
 * to: TCI_SIGNAL_STEP is odd and has an inverse modulo 2^64. */
uint64_t tci_producer_frames(const tci_producer *p);

/* Bytes of all frames that were committed, but for those that only closed a lap. */
static inline uint64_t tci_producer_bytes(const tci_producer *p)
{
    return p->tail - tci_ring_start(p->nonce) - p->padding_bytes;
}

/* Everything that was committed has been consumed. */
static inline bool tci_producer_drained(const tci_producer *p)
{
    return p->consumed_seen == p->tail;
}

#endif
