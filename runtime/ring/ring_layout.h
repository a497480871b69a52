/* The memory of a ring, and every acquire and release that makes it work; docs/memory-model.md
 * argues them pair by pair.
 *
 * A region is a small control block and the ring proper. It lies in the consumer's memory. A
 * producer on the same host maps it (direct). Any other producer writes a ring of its own, and
 * the bytes are carried over (am).
 *
 *     0     identity line: nonce u64, ring bytes u64         written once by the consumer
 *     128   consumed line: u64, bytes consumed since start   written by the consumer
 *     256   doorbell line: u64, whether the consumer sleeps  written by the consumer
 *           u64, position: wakes when the peer has consumed it
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

/* The part of a ring that only control frames may use, so that refusals get through when data
 * fills the rest. */
#define TCI_RING_CONTROL_RESERVE_SHIFT 4 /* a sixteenth */

typedef _Atomic uint64_t tci_ring_word;

static inline size_t tci_ring_region_bytes(uint64_t ring_bytes)
{
    return (size_t)(TCI_RING_DATA_OFFSET + ring_bytes);
}

/* The consumer reports its consumption after this part of the ring at the latest. */
#define TCI_RING_CREDIT_SHIFT 3 /* an eighth */

/* Returns the size of the largest frame. In the worst case a producer needs space for a padding
 * that is slightly too small for the frame, and for the frame itself, while the reserve is
 * closed to it and an eighth is consumed but not reported yet; so two frames share 13/16 of the
 * ring. With larger frames both sides could wait for each other for ever. */
static inline uint64_t tci_ring_frame_max(uint64_t ring_bytes)
{
    uint64_t usable = ring_bytes - (ring_bytes >> TCI_RING_CONTROL_RESERVE_SHIFT) -
                      (ring_bytes >> TCI_RING_CREDIT_SHIFT);
    return usable / 2 & ~(uint64_t)63;
}

/* Returns the position of the first frame; both sides know the nonce. Rings begin on pages, and
 * caches index lines by their offset in a page: with all heads at one offset a target of more
 * than a dozen idle rings would miss its caches on every poll
 * (docs/decisions/idle-peers.md). */
static inline uint64_t tci_ring_start(uint64_t nonce)
{
    return nonce >> 32 & 4095 & ~(uint64_t)63;
}

/* Called by the producer once all other bytes of the frame are written. Pairs with
 * tci_ring_load_signal. */
static inline void tci_ring_store_signal(uint8_t *frame, uint64_t signal)
{
    atomic_store_explicit((tci_ring_word *)(void *)frame, signal, memory_order_release);
}

/* Called by the consumer. When it returns the expected value, every byte of the frame is
 * visible. Pairs with tci_ring_store_signal. */
static inline uint64_t tci_ring_load_signal(const uint8_t *frame)
{
    return atomic_load_explicit((const tci_ring_word *)(const void *)frame,
                                memory_order_acquire);
}

/* Called by the consumer when it has read the bytes before `consumed`: they may be overwritten.
 * Pairs with tci_ring_load_consumed. */
static inline void tci_ring_store_consumed(tci_ring_word *word, uint64_t consumed)
{
    atomic_store_explicit(word, consumed, memory_order_release);
}

/* Called by the producer before it overwrites consumed bytes. Pairs with
 * tci_ring_store_consumed. */
static inline uint64_t tci_ring_load_consumed(const tci_ring_word *word)
{
    return atomic_load_explicit(word, memory_order_acquire);
}

/* The doorbell word: the events that end its owner's sleep, and above these bits a count, so
 * that each sleep has a word of its own. No bits below TCI_DOORBELL_STEP: awake. */
#define TCI_DOORBELL_FRAMES 1u /* set in every sleep */
#define TCI_DOORBELL_CREDIT 2u /* also until the peer has consumed up to the second word */
#define TCI_DOORBELL_STEP 4u

/* Called by the consumer. Before a sleep a barrier in all processes follows
 * (base/process_barrier.h); that barrier pairs with tci_ring_load_doorbell. */
static inline void tci_ring_store_doorbell(tci_ring_word *words, uint64_t doorbell,
                                           uint64_t position)
{
    atomic_store_explicit(&words[1], position, memory_order_relaxed);
    atomic_store_explicit(&words[0], doorbell, memory_order_release);
}

/* Called by the producer after it has stored a frame or its consumed position. The fence only
 * keeps the compiler from moving the load before that store; the sleeper's barrier does so for
 * the processor. */
static inline uint64_t tci_ring_load_doorbell(const tci_ring_word *word)
{
    atomic_signal_fence(memory_order_seq_cst);
    return atomic_load_explicit(word, memory_order_relaxed);
}

/* Returns the position that belongs to a doorbell. Pairs with tci_ring_store_doorbell. */
static inline uint64_t tci_ring_load_doorbell_position(const tci_ring_word *words)
{
    (void)atomic_load_explicit(&words[0], memory_order_acquire);
    return atomic_load_explicit(&words[1], memory_order_relaxed);
}

/* Returns the second header word in a single load, because the peer may change it at any time.
 * The signal orders it. */
static inline uint64_t tci_ring_load_word(const uint8_t *at)
{
    return atomic_load_explicit((const tci_ring_word *)(const void *)at, memory_order_relaxed);
}

static inline void tci_ring_store_word(uint8_t *at, uint64_t word)
{
    atomic_store_explicit((tci_ring_word *)(void *)at, word, memory_order_relaxed);
}

#endif
