/* The memory of a ring, and every acquire and release that makes it work; docs/memory-model.md
 * argues them pair by pair.
 *
 * A region is a small control block and the ring proper. It lies in the consumer's memory; a
 * producer on the same host maps it (direct), any other producer writes a ring of its own and
 * has the bytes carried over (am).
 *
 *     0     identity line: nonce u64, ring bytes u64         written once by the consumer
 *     128   consumed line: u64, bytes consumed since start   written by the consumer
 *     256   doorbell line: u64, whether the consumer sleeps      written by the consumer
 *           u64, the position whose consumption wakes it
 *     512   the ring, a power of two bytes                   written by the producer
 *
 * Lines that different sides write are two cache lines apart, because processors prefetch lines
 * in pairs. */
#ifndef TCI_RING_LAYOUT_H
#define TCI_RING_LAYOUT_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define TCI_RING_IDENTITY_OFFSET 0u
#define TCI_RING_CONSUMED_OFFSET 128u
#define TCI_RING_DOORBELL_OFFSET 256u
#define TCI_RING_DATA_OFFSET 512u

/* What of a ring only control frames may use, so that refusals get through when data fills the
 * rest. */
#define TCI_RING_CONTROL_RESERVE_SHIFT 4 /* a sixteenth */

typedef _Atomic uint64_t tci_ring_word;

static inline size_t tci_ring_region_bytes(uint64_t ring_bytes)
{
    return (size_t)(TCI_RING_DATA_OFFSET + ring_bytes);
}

/* The consumer tells what it has consumed at the latest after this part of the ring. */
#define TCI_RING_CREDIT_SHIFT 3 /* an eighth */

/* The largest frame. In the worst case a producer needs room for a padding that is just too
 * small for it, and for the frame itself, while the reserve is closed to it and an eighth is
 * consumed but not told yet; so two frames share 13/16 of the ring. With anything larger both
 * sides could wait for each other for ever. */
static inline uint64_t tci_ring_frame_max(uint64_t ring_bytes)
{
    uint64_t usable = ring_bytes - (ring_bytes >> TCI_RING_CONTROL_RESERVE_SHIFT) -
                      (ring_bytes >> TCI_RING_CREDIT_SHIFT);
    return usable / 2 & ~(uint64_t)63;
}

/* The position of the first frame; both sides know the nonce. Rings begin on pages, and caches
 * find lines by their place in a page: with all heads at one place a target of more than a
 * dozen idle rings would miss its caches on every look (docs/decisions/idle-peers.md). */
static inline uint64_t tci_ring_start(uint64_t nonce)
{
    return nonce >> 32 & 4095 & ~(uint64_t)63;
}

/* Producer, once all other bytes of the frame are written. Pairs with tci_ring_load_signal. */
static inline void tci_ring_store_signal(uint8_t *frame, uint64_t signal)
{
    atomic_store_explicit((tci_ring_word *)(void *)frame, signal, memory_order_release);
}

/* Consumer. When it gives the expected value, every byte of the frame is visible. Pairs with
 * tci_ring_store_signal. */
static inline uint64_t tci_ring_load_signal(const uint8_t *frame)
{
    return atomic_load_explicit((const tci_ring_word *)(const void *)frame,
                                memory_order_acquire);
}

/* Consumer: the bytes before `consumed` may be overwritten; it has read them. Pairs with
 * tci_ring_load_consumed. */
static inline void tci_ring_store_consumed(tci_ring_word *word, uint64_t consumed)
{
    atomic_store_explicit(word, consumed, memory_order_release);
}

/* Producer, before it writes over consumed bytes. Pairs with tci_ring_store_consumed. */
static inline uint64_t tci_ring_load_consumed(const tci_ring_word *word)
{
    return atomic_load_explicit(word, memory_order_acquire);
}

/* The doorbell word: what its owner sleeps for, and above that a count, so that each sleep has
 * a word of its own. No bits below TCI_DOORBELL_STEP: awake. */
#define TCI_DOORBELL_FRAMES 1u /* set in every sleep */
#define TCI_DOORBELL_CREDIT 2u /* also until the peer has consumed up to the second word */
#define TCI_DOORBELL_STEP 4u

/* Consumer. Before a sleep this is followed by a barrier in all processes
 * (base/process_barrier.h), which is what pairs with tci_ring_load_doorbell. */
static inline void tci_ring_store_doorbell(tci_ring_word *words, uint64_t doorbell,
                                           uint64_t position)
{
    atomic_store_explicit(&words[1], position, memory_order_relaxed);
    atomic_store_explicit(&words[0], doorbell, memory_order_release);
}

/* Producer, after it has stored a frame, or what it has consumed. Only the compiler is kept
 * from looking before it has stored; the processor is kept by the sleeper's barrier. */
static inline uint64_t tci_ring_load_doorbell(const tci_ring_word *word)
{
    atomic_signal_fence(memory_order_seq_cst);
    return atomic_load_explicit(word, memory_order_relaxed);
}

/* The position that belongs to a doorbell. Pairs with tci_ring_store_doorbell. */
static inline uint64_t tci_ring_load_doorbell_position(const tci_ring_word *words)
{
    (void)atomic_load_explicit(&words[0], memory_order_acquire);
    return atomic_load_explicit(&words[1], memory_order_relaxed);
}

/* The second header word: the peer may change it at any time, so it is one load of its own. The
 * signal orders it. */
static inline uint64_t tci_ring_load_word(const uint8_t *at)
{
    return atomic_load_explicit((const tci_ring_word *)(const void *)at, memory_order_relaxed);
}

static inline void tci_ring_store_word(uint8_t *at, uint64_t word)
{
    atomic_store_explicit((tci_ring_word *)(void *)at, word, memory_order_relaxed);
}

#endif
