/* The reading side of a ring, in this process's own memory. Single-threaded. */
#ifndef TCI_CONSUMER_H
#define TCI_CONSUMER_H

#include "base/assertion.h"
#include "ring/ring_layout.h"
#include "wire/frame.h"

typedef struct tci_consumer {
    uint8_t *ring; /* frames are read here, and functions get their payloads here */
    uint64_t mask;
    uint64_t head;      /* position of the next frame */
    uint64_t signal;    /* signal of the next frame */
    uint64_t published; /* position last reported to the producer */
    tci_ring_word *consumed;
    uint8_t *filled; /* frames that messages bring are written here: the same memory */
} tci_consumer;

/* Sets up the region's control block and an empty consumer. The region must be zero or have
 * another nonce. */
void tci_consumer_init(tci_consumer *c, uint8_t *region, uint64_t ring_bytes, uint64_t nonce);

/* Reads frames through another mapping of the same region from now on. */
void tci_consumer_read_in(tci_consumer *c, uint8_t *view);

/* Returns whether a mapped region is the one that a peer described. */
bool tci_consumer_identity_matches(const uint8_t *region, uint64_t ring_bytes, uint64_t nonce);

/* Returns whether frames may be written at `offset`: the range is within the ring and contains
 * no bytes that were consumed but not published yet. A caller that writes them without
 * tci_consumer_place stores the first signal last. */
bool tci_consumer_may_place(const tci_consumer *c, uint64_t offset, size_t size);

/* Copies bytes that a message brought into the ring at a byte offset, signal last. Returns
 * false when they do not fit there, or when the range contains bytes that were consumed but not
 * published yet. */
bool tci_consumer_place(tci_consumer *c, uint64_t offset, const uint8_t *bytes, size_t size);

/* Returns whether a frame (perhaps a WRAP) has arrived. */
static inline bool tci_consumer_has_frame(const tci_consumer *c)
{
    return tci_ring_load_signal(c->ring + (c->head & c->mask)) == c->signal;
}

/* Returns the next frame, or NULL. *word_out is its second header word, loaded once. WRAP
 * frames are skipped, except at the start of a lap: there a WRAP would skip a whole lap, and a
 * peer that stores one after the other would keep this function from ever returning. */
static inline uint8_t *tci_consumer_peek(tci_consumer *c, uint64_t *word_out)
{
    for (;;) {
        TCI_INVARIANT_IS(ring_granule, c->head % TCI_FRAME_GRANULE, ==, 0);
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

/* Returns the bytes from the next frame to the end of the ring. */
static inline size_t tci_consumer_room(const tci_consumer *c)
{
    return (size_t)(c->mask + 1 - (c->head & c->mask));
}

/* Consumes the frame that peek returned, of `bytes`. */
static inline void tci_consumer_advance(tci_consumer *c, uint64_t bytes)
{
    TCI_INVARIANT_IS(ring_room, tci_frame_align(bytes), <=, tci_consumer_room(c));
    c->head += tci_frame_align(bytes);
    c->signal += TCI_SIGNAL_STEP;
}

/* Returns whether an eighth of the ring was consumed since the producer was last notified. */
static inline bool tci_consumer_credit_is_due(const tci_consumer *c)
{
    return c->head - c->published > c->mask >> TCI_RING_CREDIT_SHIFT;
}

/* Reports consumption to a producer that maps the region. (Other producers are notified by a
 * message; see delivery/.) */
static inline void tci_consumer_publish(tci_consumer *c)
{
    TCI_INVARIANT_IS(ring_published, c->published, <=, c->head);
    tci_ring_store_consumed(c->consumed, c->head);
    c->published = c->head;
}

#endif
