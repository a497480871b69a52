/* Every acquire and release of a slot's word, with the operations that it pairs with. */
#ifndef TCI_SLOT_WORD_H
#define TCI_SLOT_WORD_H

#include <stdatomic.h>
#include <stdint.h>

/* For the target and, where the slot is mapped, for the sender. Pairs with all stores below: a
 * target that sees a message's word sees the message, and a sender that sees the word of a free
 * slot writes after the slot's earlier content has been read. */
static inline uint64_t tci_slot_load(const void *slot)
{
    return atomic_load_explicit((const _Atomic uint64_t *)slot, memory_order_acquire);
}

/* The sender's last store of a message. */
static inline void tci_slot_publish(void *slot, uint64_t word)
{
    atomic_store_explicit((_Atomic uint64_t *)slot, word, memory_order_release);
}

/* The target's release of a message that is not run. A word stored into the slot since is
 * left. */
static inline void tci_slot_give_up(void *slot, uint64_t seen, uint64_t word)
{
    (void)atomic_compare_exchange_strong_explicit((_Atomic uint64_t *)slot, &seen, word,
                                                  memory_order_release, memory_order_relaxed);
}

/* The target's release of a slot, after it has copied the data that it needs. */
static inline void tci_slot_free(void *slot, uint64_t word)
{
    atomic_store_explicit((_Atomic uint64_t *)slot, word, memory_order_release);
}

#endif
