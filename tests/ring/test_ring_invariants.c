/* Broken state of a producer and a consumer ends the process. */
#include "../support/broken_invariant.h"
#include "ring/consumer.h"
#include "ring/producer.h"

#define RING_BYTES 4096u
#define NONCE 0x1122334455667788ull

static _Alignas(4096) uint8_t region[8192];

static tci_consumer consumer(void)
{
    tci_consumer c;
    tci_consumer_init(&c, region, RING_BYTES, NONCE);
    return c;
}

static tci_producer producer(void)
{
    tci_producer p;
    const tci_consumer c = consumer();
    tci_producer_init(&p, region + TCI_RING_DATA_OFFSET, RING_BYTES, NONCE, c.consumed);
    return p;
}

static void commit(tci_producer *p, uint64_t bytes)
{
    tci_producer_commit(p, tci_producer_next(p), bytes, 0);
}

TEST_BROKEN(ring_size)
{
    tci_producer p;
    tci_producer_init(&p, region, RING_BYTES - 64, NONCE, NULL);
}

TEST_BROKEN(ring_granule)
{
    tci_consumer c = consumer();
    uint64_t word;
    c.head += 8;
    (void)tci_consumer_peek(&c, &word);
}

TEST_BROKEN(ring_reserved)
{
    tci_producer p = producer();
    tci_producer_commit(&p, tci_producer_next(&p) + TCI_FRAME_GRANULE, 32, 0);
}

TEST_BROKEN(ring_lap)
{
    tci_producer p = producer();
    commit(&p, RING_BYTES + 1);
}

TEST_BROKEN(ring_space)
{
    tci_producer p = producer();
    p.tail += RING_BYTES;
    commit(&p, 32);
}

TEST_BROKEN(ring_unsignalled)
{
    tci_producer p = producer();
    tci_producer_commit_unsignalled(&p, tci_producer_next(&p), 32, 0);
    commit(&p, 32);
}

TEST_BROKEN(ring_limit)
{
    tci_producer p = producer();
    p.limit += TCI_FRAME_GRANULE;
    (void)tci_producer_reserve_slow(&p, 32, 0);
}

TEST_BROKEN(ring_reserve)
{
    tci_producer p = producer();
    (void)tci_producer_reserve_slow(&p, 32, p.reserve + 1);
}

TEST_BROKEN(ring_padding)
{
    tci_producer p = producer();
    p.padding_bytes = TCI_FRAME_GRANULE;
    (void)tci_producer_bytes(&p);
}

TEST_BROKEN(ring_room)
{
    tci_consumer c = consumer();
    tci_consumer_advance(&c, RING_BYTES + 1);
}

TEST_BROKEN(ring_published)
{
    tci_consumer c = consumer();
    c.published = c.head + TCI_FRAME_GRANULE;
    tci_consumer_publish(&c);
}
