/* The contents of message number n of an integrity run: size and content follow only from the
 * number and the size range, so that the target knows the right value of every byte. Shared by
 * the source and the ifunc. */
#ifndef TC_INTEGRITY_PATTERN_H
#define TC_INTEGRITY_PATTERN_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* One message in this many may be larger than the range. */
#define INTEGRITY_LARGE_EVERY 256u

/* Payload: sequence u64, length u32, then the pattern; all of it cut to the message's size. */
#define INTEGRITY_HEADER_BYTES 12u

/* How far integrity_fill may write past a message: it writes the header and the words whole. */
#define INTEGRITY_SLACK 16u

typedef struct integrity_range {
    uint32_t min;
    uint32_t max;
    uint32_t large_max; /* 0: no larger messages */
} integrity_range;

/* The target's state, behind target_args. */
typedef struct integrity_target {
    integrity_range range;
    uint64_t count;     /* messages of the run */
    uint64_t expected;  /* sequence number that is due */
    uint64_t run;       /* calls */
    uint64_t bytes;     /* of payload */
    uint64_t torn;      /* wrong length or wrong content */
    uint64_t repeated;  /* seen before */
    uint64_t misplaced; /* not the one that was due */
    uint64_t first_bad; /* sequence number that was due at the first error */
    uint8_t *seen;      /* a bit per message */
} integrity_target;

/* A mixing step in which every output bit depends on every input bit (the finaliser of 64-bit
 * MurmurHash3). */
static inline uint64_t integrity_mix(uint64_t x)
{
    x ^= x >> 33;
    x *= 0xff51afd7ed558ccdull;
    x ^= x >> 33;
    x *= 0xc4ceb9fe1a85ec53ull;
    return x ^ x >> 33;
}

static inline uint32_t integrity_size(const integrity_range *range, uint64_t sequence)
{
    uint64_t random = integrity_mix(sequence + 1);
    uint32_t max = range->max;
    if (range->large_max != 0 && random % INTEGRITY_LARGE_EVERY == 0)
        max = range->large_max;
    return range->min + (uint32_t)((random >> 16) % (max - range->min + 1));
}

/* The i-th 8-byte word after the header. */
static inline uint64_t integrity_word(uint64_t key, uint64_t i)
{
    return (key + i) * 0x9e3779b97f4a7c15ull;
}

static inline uint64_t integrity_key(uint64_t sequence)
{
    return integrity_mix(~sequence);
}

static inline void integrity_fill(uint8_t *payload, uint32_t size, uint64_t sequence)
{
    uint64_t key = integrity_key(sequence), i = 0;
    memcpy(payload, &sequence, sizeof sequence);
    memcpy(payload + sizeof sequence, &size, sizeof size);
    for (uint32_t at = INTEGRITY_HEADER_BYTES; at < size; at += (uint32_t)sizeof(uint64_t)) {
        uint64_t word = integrity_word(key, i++);
        memcpy(payload + at, &word, sizeof word);
    }
}

#endif
