/* Setup of a consumer, and frames that messages bring. Reading is inline in the header. */
#include "consumer.h"

#include "base/assertion.h"

static tci_ring_word *identity_words(const uint8_t *region)
{
    return (tci_ring_word *)(uintptr_t)(region + TCI_RING_IDENTITY_OFFSET);
}

void tci_consumer_init(tci_consumer *c, uint8_t *region, uint64_t ring_bytes, uint64_t nonce)
{
    uint64_t start = tci_ring_start(nonce);
    TCI_INVARIANT(ring_size,
                  ring_bytes >= TCI_FRAME_GRANULE && (ring_bytes & (ring_bytes - 1)) == 0);
    *c =
        (tci_consumer){.ring = region + TCI_RING_DATA_OFFSET,
                       .mask = ring_bytes - 1,
                       .head = start,
                       .signal = nonce,
                       .published = start,
                       .consumed = (tci_ring_word *)(void *)(region + TCI_RING_CONSUMED_OFFSET),
                       .filled = region + TCI_RING_DATA_OFFSET};
    tci_ring_word *identity = identity_words(region);
    atomic_store_explicit(&identity[0], nonce, memory_order_relaxed);
    atomic_store_explicit(&identity[1], ring_bytes, memory_order_relaxed);
    tci_ring_store_consumed(c->consumed, start);
}

void tci_consumer_read_in(tci_consumer *c, uint8_t *view)
{
    c->ring = view + TCI_RING_DATA_OFFSET;
}

bool tci_consumer_identity_matches(const uint8_t *region, uint64_t ring_bytes, uint64_t nonce)
{
    const tci_ring_word *identity = identity_words(region);
    return atomic_load_explicit(&identity[0], memory_order_relaxed) == nonce &&
           atomic_load_explicit(&identity[1], memory_order_relaxed) == ring_bytes;
}

/* Returns whether the range overlaps bytes that were read but not published yet. The producer
 * must not write there. */
static bool is_consumed(const tci_consumer *c, uint64_t offset, size_t size)
{
    TCI_INVARIANT_IS(ring_published, c->published, <=, c->head);
    const uint64_t behind = (offset - c->published) & c->mask;
    return c->head != c->published &&
           (behind < c->head - c->published || behind + size > c->mask + 1);
}

bool tci_consumer_may_place(const tci_consumer *c, uint64_t offset, size_t size)
{
    TCI_INVARIANT(ring_size, (c->mask & (c->mask + 1)) == 0);
    return size >= TCI_FRAME_HEADER_BYTES && offset % TCI_FRAME_GRANULE == 0 &&
           offset <= c->mask && size <= c->mask + 1 - offset && !is_consumed(c, offset, size);
}

bool tci_consumer_place(tci_consumer *c, uint64_t offset, const uint8_t *bytes, size_t size)
{
    if (!tci_consumer_may_place(c, offset, size))
        return false;
    uint64_t signal;
    memcpy(&signal, bytes, sizeof signal);
    memcpy(c->filled + offset + sizeof signal, bytes + sizeof signal, size - sizeof signal);
    tci_ring_store_signal(c->filled + offset, signal);
    return true;
}
