/* k-mers of DNA as numbers: 2 bits for each base, and of both strands the smaller one.
 *
 * A k-mer travels and is stored as a word: its number, mixed by a function that has an inverse.
 * So its owner and its slot are bits of the word, no table needs a hash, and no word is 0. */
#ifndef TC_KMER_CODE_H
#define TC_KMER_CODE_H

#include <stdbool.h>
#include <stdint.h>

#define KMER_LENGTH_MAX 31u
#define KMER_NO_BASE 4u

extern const uint8_t kmer_bases[256]; /* of a letter; KMER_NO_BASE: of any other sign */

/* The state of a reader of one sequence, letter by letter. */
typedef struct kmer_scan {
    uint64_t forward; /* the last k bases, and their complements backwards */
    uint64_t backward;
    uint64_t mask;
    uint32_t length; /* k */
    uint32_t shift;
    uint32_t have; /* bases since the last other sign */
} kmer_scan;

static inline void kmer_scan_begin(kmer_scan *s, uint32_t length)
{
    *s = (kmer_scan){
        .mask = (UINT64_C(1) << 2 * length) - 1, .length = length, .shift = 2 * (length - 1)};
}

/* Takes a letter. True: a k-mer ends with it. */
static inline bool kmer_scan_take(kmer_scan *s, uint8_t letter, uint64_t *kmer_out)
{
    const uint64_t base = kmer_bases[letter];
    if (__builtin_expect(base >= KMER_NO_BASE, 0)) {
        s->have = 0;
        return false;
    }
    s->forward = (s->forward << 2 | base) & s->mask;
    s->backward = s->backward >> 2 | (3 - base) << s->shift;
    *kmer_out = s->forward < s->backward ? s->forward : s->backward;
    return ++s->have >= s->length;
}

static inline uint64_t kmer_mix(uint64_t value)
{
    value = (value ^ value >> 33) * UINT64_C(0xff51afd7ed558ccd);
    value = (value ^ value >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
    return value ^ value >> 33;
}

/* 0 alone is mixed to 0. */
static inline uint64_t kmer_word(uint64_t kmer)
{
    return kmer_mix(kmer + 1);
}

/* The rank that counts the word: by its high bits, as slots are by the low ones. */
static inline uint32_t kmer_owner(uint64_t word, uint32_t ranks)
{
    return (uint32_t)((word >> 32) * ranks >> 32);
}

#endif
