/* The reading side of a ring, in this process's own memory. Single-threaded. */
#ifndef TCI_CONSUMER_H
#define TCI_CONSUMER_H

#include "base/assertion.h"
#include "ring/ring_layout.h"
#include "wire/frame.h"

typedef struct tci_consumer {
    uint8_t *ring; /* where frames are read, and functions have their payloads */
    uint64_t mask;
    uint64_t head;      /* position of the next frame */
    uint64_t signal;    /* that the next frame will have */
    uint64_t published; /* what the producer was told last */
    tci_ring_word *consumed;
    uint8_t *filled; /* where frames are written that were carried here: the same memory */
} tci_consumer;

/* Sets up the region's control block and an empty consumer. The region must be zero or have
 * another nonce. */
void tci_consumer_init(tci_consumer *c, uint8_t *region, uint64_t ring_bytes, uint64_t nonce);

/* From here on frames are read in another mapping of the same region. */
void tci_consumer_read_in(tci_consumer *c, uint8_t *view);

/* Whether a mapped region is the one that a peer described. */
bool tci_consumer_identity_matches(const uint8_t *region, uint64_t ring_bytes, uint64_t nonce);

/* Whether frames may be placed there: it is within the ring, and nothing of it was consumed and not
 * told yet. Who places them otherwise than by the next call stores the first signal last. */
bool tci_consumer_may_place(const tci_consumer *c, uint64_t offset, size_t size);

/* Copies bytes that were carried here by a message into the ring at a byte offset, signal last.
 * False when they do not fit there, or something there was consumed and not told yet. */
bool tci_consumer_place(tci_consumer *c, uint64_t offset, const uint8_t *bytes, size_t size);

/* Whether a frame (perhaps a WRAP) is there. */
static inline bool tci_consumer_has_frame(const tci_consumer *c)
{
    return tci_ring_load_signal(c->ring + (c->head & c->mask)) == c->signal;
}

/* The next frame, or NULL. *word_out is its second header word, loaded once. A WRAP frame is
 * passed over here, but for one where a lap begins: it would pass over a whole lap, and a peer
 * that stores one after the other would keep this from ever returning. */
static inline uint8_t *tci_consumer_peek(tci_consumer *c, uint64_t *word_out)
{
    for (;;) {
        uint8_t *frame = c->ring + (c->head & c->mask);
        if (tci_ring_load_signal(frame) != c->signal)
            return NULL;
        uint64_t word = tci_ring_load_word(frame + 8);
        if (__builtin_expect(tci_frame_of_word(word).kind != TCI_FRAME_WRAP, 1) ||
            (c->head & c->mask) == 0) {
            *word_out = word;
            return frame;
        }
        c->head += c->mask + 1 - (c->head & c->mask);
        c->signal += TCI_SIGNAL_STEP;
    }
}

/* Bytes from the next frame to the end of the ring. */
static inline size_t tci_consumer_room(const tci_consumer *c)
{
    return (size_t)(c->mask + 1 - (c->head & c->mask));
}

/* The frame that peek gave, of `bytes`, is done with. */
static inline void tci_consumer_advance(tci_consumer *c, uint64_t bytes)
{
    TCI_ASSERT(tci_frame_align(bytes) <= tci_consumer_room(c));
    c->head += tci_frame_align(bytes);
    c->signal += TCI_SIGNAL_STEP;
}

/* An eighth of the ring was consumed since the producer was told. */
static inline bool tci_consumer_credit_is_due(const tci_consumer *c)
{
    return c->head - c->published > c->mask >> TCI_RING_CREDIT_SHIFT;
}

/* Tells a producer that maps the region. (One that does not is told by a message; see
 * delivery/.) */
static inline void tci_consumer_publish(tci_consumer *c)
{
    tci_ring_store_consumed(c->consumed, c->head);
    c->published = c->head;
}

#endif
