/* The writing side of a ring.
 *
 * Positions are in bytes, begin at tci_ring_start and never wrap; a position's offset in the
 * ring is position & mask. Single-threaded. */
#ifndef TCI_PRODUCER_H
#define TCI_PRODUCER_H

#include "base/assertion.h"
#include "ring/ring_layout.h"
#include "wire/frame.h"

/* Frames that get their signals together. More gain nothing. */
#define TCI_UNSIGNALLED_MAX 8u

typedef struct tci_producer {
    uint8_t *ring; /* mapped memory of the consumer, or a ring of this side's own */
    uint64_t mask;
    uint64_t tail;   /* position of the next frame */
    uint64_t signal; /* signal of the next frame */
    /* data frames end here at the latest: consumed + ring bytes - control reserve */
    uint64_t limit;
    uint64_t reserve;
    uint64_t nonce;
    uint64_t padding_frames; /* frames that only closed a lap, and their bytes */
    uint64_t padding_bytes;
    const tci_ring_word *consumed;
    uint64_t consumed_seen;
    bool broken; /* the consumer's word ran backwards or ahead of the tail */
    /* The newest frames, if they are complete but for their signals. */
    unsigned unsignalled_count;
    uint8_t *unsignalled[TCI_UNSIGNALLED_MAX];
} tci_producer;

void tci_producer_init(tci_producer *p, uint8_t *ring, uint64_t ring_bytes, uint64_t nonce,
                       const tci_ring_word *consumed);

/* Reads the consumer's word again. A word that runs backwards or ahead means a broken peer: no
 * further space is granted. */
void tci_producer_refresh(tci_producer *p);

/* Reserves when the fast path below cannot: refreshes the credit, and closes the lap with a
 * WRAP frame. `extra` is the part of the control reserve that this frame may use. Returns NULL
 * without credit. */
uint8_t *tci_producer_reserve_slow(tci_producer *p, uint64_t bytes, uint64_t extra);

/* Returns whether there is space for `count` frames of one granule, without reading the
 * consumer's word again. A granule never crosses the end of the ring, so these frames need no
 * padding. */
static inline bool tci_producer_has_granules(const tci_producer *p, unsigned count)
{
    return p->tail + (uint64_t)count * TCI_FRAME_GRANULE <= p->limit;
}

/* Returns the address of the next frame, provided that it needs no padding before it. */
static inline uint8_t *tci_producer_next(const tci_producer *p)
{
    return p->ring + (p->tail & p->mask);
}

/* Does the work of tci_producer_reserve without reading the consumer's word again and without
 * closing a lap. */
static inline uint8_t *tci_producer_try_reserve(tci_producer *p, uint64_t bytes)
{
    uint64_t at = p->tail & p->mask;
    uint64_t aligned = tci_frame_align(bytes);
    if (p->tail + aligned > p->limit || at + aligned > p->mask + 1)
        return NULL;
    return p->ring + at;
}

/* Returns contiguous space for a frame of `bytes` (header included, at most
 * tci_ring_frame_max); NULL without credit. A control frame may use `extra` bytes of the
 * reserve. The consumer sees nothing before commit. A reservation is given up by not committing
 * it. */
static inline uint8_t *tci_producer_reserve(tci_producer *p, uint64_t bytes, uint64_t extra)
{
    uint8_t *frame = tci_producer_try_reserve(p, bytes);
    return frame != NULL ? frame : tci_producer_reserve_slow(p, bytes, extra);
}

/* Goes on behind a frame of `bytes` that was written. */
static inline void tci_producer_pass(tci_producer *p, uint64_t bytes)
{
    p->signal += TCI_SIGNAL_STEP;
    p->tail += tci_frame_align(bytes);
    TCI_INVARIANT_IS(ring_space, p->tail - p->consumed_seen, <=, p->mask + 1);
}

/* Publishes the frame that reserve returned. */
static inline void tci_producer_commit(tci_producer *p, uint8_t *frame, uint64_t bytes,
                                       uint64_t header_word)
{
    TCI_INVARIANT(ring_reserved, frame == tci_producer_next(p));
    TCI_INVARIANT_IS(ring_lap, (p->tail & p->mask) + tci_frame_align(bytes), <=, p->mask + 1);
    TCI_INVARIANT_IS(ring_unsignalled, p->unsignalled_count, ==, 0);
    tci_ring_store_word(frame + 8, header_word);
    tci_ring_store_signal(frame, p->signal);
    tci_producer_pass(p, bytes);
}

/* Does the same but for the signal, for which the consumer waits until tci_producer_signal. */
static inline void tci_producer_commit_unsignalled(tci_producer *p, uint8_t *frame,
                                                   uint64_t bytes, uint64_t header_word)
{
    TCI_INVARIANT(ring_reserved, frame == tci_producer_next(p));
    TCI_INVARIANT_IS(ring_lap, (p->tail & p->mask) + tci_frame_align(bytes), <=, p->mask + 1);
    TCI_INVARIANT_IS(ring_unsignalled, p->unsignalled_count, <, TCI_UNSIGNALLED_MAX);
    tci_ring_store_word(frame + 8, header_word);
    p->unsignalled[p->unsignalled_count++] = frame;
    tci_producer_pass(p, bytes);
}

/* Publishes the unsignalled frames, of which there is one at least. */
void tci_producer_signal(tci_producer *p);

/* Does the work of tci_producer_commit for a frame of one granule and a payload of at most 8
 * bytes, passed as a number. Header word and payload are written in one store, so the frame
 * takes two stores in all (base/small_copy.h explains why that counts). */
static inline void tci_producer_commit_word(tci_producer *p, uint8_t *frame,
                                            uint64_t header_word, uint64_t payload)
{
    typedef uint64_t two_words __attribute__((vector_size(16)));
    const two_words both = {header_word, payload};
    memcpy(frame + 8, &both, sizeof both);
    tci_ring_store_signal(frame, p->signal);
    tci_producer_pass(p, TCI_FRAME_GRANULE);
}

/* The same for a payload of 9 to 16 bytes, the whole granule. */
static inline void tci_producer_commit_words(tci_producer *p, uint8_t *frame,
                                             uint64_t header_word, uint64_t first,
                                             uint64_t second)
{
    memcpy(frame + 24, &second, sizeof second);
    tci_producer_commit_word(p, frame, header_word, first);
}

/* A short frame that is not in the ring yet. */
typedef struct tci_short_call {
    uint64_t header_word;
    uint64_t payload;
    uint64_t second; /* of a payload above 8 bytes */
} tci_short_call;

/* Commits `count` calls. The caller has checked the space with tci_producer_has_granules. The
 * producer stays in registers meanwhile, so only frames are stored, and many lines that the
 * consumer holds are requested at a time. */
static inline void tci_producer_commit_calls(tci_producer *p, const tci_short_call *calls,
                                             unsigned count)
{
    tci_producer local = *p;
    for (unsigned i = 0; i < count; i++) {
        uint8_t *frame = tci_producer_next(&local);
        if ((uint32_t)calls[i].header_word > sizeof(uint64_t))
            memcpy(frame + 24, &calls[i].second, sizeof calls[i].second);
        tci_producer_commit_word(&local, frame, calls[i].header_word, calls[i].payload);
    }
    p->signal = local.signal;
    p->tail = local.tail;
}

/* Returns the number of committed frames of every kind. It is computed from the signal, without
 * a counter: TCI_SIGNAL_STEP is odd and has an inverse modulo 2^64. */
uint64_t tci_producer_frames(const tci_producer *p);

/* Returns the bytes of all committed frames, except those that only closed a lap. */
static inline uint64_t tci_producer_bytes(const tci_producer *p)
{
    TCI_INVARIANT_IS(ring_padding, p->padding_bytes, <=, p->tail - tci_ring_start(p->nonce));
    return p->tail - tci_ring_start(p->nonce) - p->padding_bytes;
}

/* Returns whether every committed frame has been consumed, as of the last refresh. */
static inline bool tci_producer_drained(const tci_producer *p)
{
    TCI_INVARIANT_IS(ring_space, p->tail - p->consumed_seen, <=, p->mask + 1);
    return p->consumed_seen == p->tail;
}

#endif
