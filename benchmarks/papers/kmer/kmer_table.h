/* A part of the table of k-mers: open addressing in memory that is zeroed at first. All
 * versions have this code. */
#ifndef TC_KMER_TABLE_H
#define TC_KMER_TABLE_H

#include "kmer_code.h"

#include <stddef.h>

#define KMER_AHEAD 12u /* slots fetched before they are needed */
#define KMER_HISTOGRAM 64u

typedef struct kmer_slot {
    uint64_t word; /* 0: free */
    uint64_t count;
} kmer_slot;

typedef struct kmer_table {
    kmer_slot *slots;
    uint64_t mask; /* slots - 1, which are a power of two */
} kmer_table;

/* Counts one word. False: the table is full. */
static inline bool kmer_table_add(kmer_table t, uint64_t word, uint64_t count)
{
    for (uint64_t at = word & t.mask, last = (at - 1) & t.mask;; at = (at + 1) & t.mask) {
        kmer_slot *slot = &t.slots[at];
        if (slot->word != word && slot->word != 0) {
            if (at == last)
                return false;
            continue;
        }
        slot->word = word;
        slot->count += count;
        return true;
    }
}

/* The same while others do so. A slot's word changes once, from 0. */
static inline bool kmer_table_add_beside(kmer_table t, uint64_t word, uint64_t count)
{
    for (uint64_t at = word & t.mask, last = (at - 1) & t.mask;; at = (at + 1) & t.mask) {
        kmer_slot *slot = &t.slots[at];
        uint64_t found = __atomic_load_n(&slot->word, __ATOMIC_RELAXED);
        if (found == 0 && __atomic_compare_exchange_n(&slot->word, &found, word, false,
                                                      __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            found = word;
        if (found == word) {
            (void)__atomic_fetch_add(&slot->count, count, __ATOMIC_RELAXED);
            return true;
        }
        if (at == last)
            return false;
    }
}

static inline void kmer_table_fetch(kmer_table t, uint64_t word)
{
    __builtin_prefetch(&t.slots[word & t.mask], 1);
}

/* Counts each of `count` words once. */
static inline bool kmer_table_add_all(kmer_table t, const uint64_t *words, uint32_t count)
{
    for (uint32_t i = 0; i < count && i < KMER_AHEAD; i++)
        kmer_table_fetch(t, words[i]);
    for (uint32_t i = 0; i < count; i++) {
        if (i + KMER_AHEAD < count)
            kmer_table_fetch(t, words[i + KMER_AHEAD]);
        if (!kmer_table_add(t, words[i], 1))
            return false;
    }
    return true;
}

static inline bool kmer_table_add_all_beside(kmer_table t, const uint64_t *words,
                                             uint32_t count)
{
    for (uint32_t i = 0; i < count && i < KMER_AHEAD; i++)
        kmer_table_fetch(t, words[i]);
    for (uint32_t i = 0; i < count; i++) {
        if (i + KMER_AHEAD < count)
            kmer_table_fetch(t, words[i + KMER_AHEAD]);
        if (!kmer_table_add_beside(t, words[i], 1))
            return false;
    }
    return true;
}

/* The content of a table, independent of the order in which words came. */
typedef struct kmer_sum {
    uint64_t distinct;
    uint64_t total;
    uint64_t check;                     /* over each word with its count */
    uint64_t histogram[KMER_HISTOGRAM]; /* words by their count; the last: as many or more */
} kmer_sum;

/* Adds each word to the sum of its owner.
 *
 *   times  counts are multiplied by it */
void kmer_table_sum(kmer_table t, uint64_t times, uint32_t ranks, kmer_sum *sums);

bool kmer_sum_equals(const kmer_sum *a, const kmer_sum *b);
void kmer_sum_add(kmer_sum *to, const kmer_sum *one);

/* The slots for so many different words: a power of two, at most two thirds full. */
uint64_t kmer_table_slots(uint64_t words);

#endif
