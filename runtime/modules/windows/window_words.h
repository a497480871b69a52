/* The owner's accesses to the memory of a window, in the orders that docs/memory-model.md
 * argues. Peers that have mapped the window use the same (tc/window_view.h): so a word may be
 * put one way and got the other, and atomic operations of both have one order. */
#ifndef TCI_WINDOW_WORDS_H
#define TCI_WINDOW_WORDS_H

#include "modules/windows/window_request.h"

#include <string.h>

/* Returns whether bytes are got and put whole and in order: all others may be seen in part. */
static inline bool tci_window_is_word(const uint8_t *memory, size_t size)
{
    return size == TCI_WINDOW_VALUE_BYTES && (uintptr_t)memory % TCI_WINDOW_VALUE_BYTES == 0;
}

/* Gets. A word pairs with tci_window_copy_in and tc_window_view_put. */
static inline void tci_window_copy_out(uint8_t *to, const uint8_t *memory, size_t size)
{
    if (tci_window_is_word(memory, size)) {
        const uint64_t value =
            __atomic_load_n((const uint64_t *)(const void *)memory, __ATOMIC_ACQUIRE);
        memcpy(to, &value, sizeof value);
    } else {
        memcpy(to, memory, size);
    }
}

/* Puts. A word pairs with tci_window_copy_out and tc_window_view_get. */
static inline void tci_window_copy_in(uint8_t *memory, const uint8_t *from, size_t size)
{
    uint64_t value;
    if (tci_window_is_word(memory, size)) {
        memcpy(&value, from, sizeof value);
        __atomic_store_n((uint64_t *)(void *)memory, value, __ATOMIC_RELEASE);
    } else {
        memcpy(memory, from, size);
    }
}

/* Returns the value before. Pairs with all atomic operations on the word. */
static inline uint64_t tci_window_word_add(uint64_t *word, uint64_t value)
{
    return __atomic_fetch_add(word, value, __ATOMIC_SEQ_CST);
}

/* Swaps the bits of one mask if those of the other are as expected. Returns whether it has.
 * Pairs with all atomic operations on the word.
 *
 *   words  operand and expected, as a step has them */
static inline bool tci_window_word_swap(uint64_t *word,
                                        const uint64_t words[TCI_WINDOW_WORDS_MAX],
                                        uint64_t compared, uint64_t replaced,
                                        uint64_t *before_out)
{
    uint64_t before = __atomic_load_n(word, __ATOMIC_SEQ_CST);
    bool swapped = false;
    while (!swapped && ((before ^ words[1]) & compared) == 0) {
        const uint64_t after = (before & ~replaced) | (words[0] & replaced);
        swapped = __atomic_compare_exchange_n(word, &before, after, false, __ATOMIC_SEQ_CST,
                                              __ATOMIC_SEQ_CST);
    }
    *before_out = before;
    return swapped;
}

#endif
