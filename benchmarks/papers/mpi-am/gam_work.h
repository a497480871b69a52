/* The two operations of the paper on generalized active messages (section V), on plain memory:
 * a search for strings of 20 characters, and a sum of absolute values. Functions that travel
 * have the same code as programs.
 *
 * The table that is searched is GAM_BUCKETS buckets of GAM_SLOTS strings. A string lies in the
 * bucket of its hash, at any slot; a free slot is zeroed. String n of GAM_STRINGS is made of
 * the number n alone, so every rank can make the table, and check the results of searches.
 * Strings of which a bucket has no free slot are left out. */
#ifndef TC_GAM_WORK_H
#define TC_GAM_WORK_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define GAM_STRING_BYTES 20u
#define GAM_SLOTS 4u
#define GAM_BUCKETS 4096u
#define GAM_STRINGS 8192u
#define GAM_BUCKET_BYTES (GAM_SLOTS * GAM_STRING_BYTES)

typedef struct gam_table {
    char strings[GAM_BUCKETS][GAM_SLOTS][GAM_STRING_BYTES];
} gam_table;

static inline uint64_t gam_mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* Letters of DNA. */
static inline void gam_string(uint64_t n, char string_out[GAM_STRING_BYTES])
{
    uint64_t bits = gam_mix(n + 1);
    for (unsigned i = 0; i < GAM_STRING_BYTES; i++, bits >>= 2)
        string_out[i] = "ACGT"[bits & 3];
}

static inline uint32_t gam_bucket(const char *string)
{
    uint64_t a, b;
    uint32_t c;
    memcpy(&a, string, sizeof a);
    memcpy(&b, string + 8, sizeof b);
    memcpy(&c, string + 16, sizeof c);
    return (uint32_t)(gam_mix(a + gam_mix(b ^ c)) % GAM_BUCKETS);
}

/* Writes the string that is equal to the one asked for, or zeros. */
static inline void gam_search_bucket(const char bucket[GAM_SLOTS][GAM_STRING_BYTES],
                                     const char *asked, char *found_out)
{
    for (unsigned slot = 0; slot < GAM_SLOTS; slot++) {
        if (memcmp(bucket[slot], asked, GAM_STRING_BYTES) == 0) {
            memcpy(found_out, bucket[slot], GAM_STRING_BYTES);
            return;
        }
    }
    memset(found_out, 0, GAM_STRING_BYTES);
}

static inline void gam_search(const gam_table *table, const char *asked, char *found_out,
                              uint32_t segments)
{
    for (uint32_t i = 0; i < segments; i++) {
        const char *string = asked + (size_t)i * GAM_STRING_BYTES;
        gam_search_bucket(table->strings[gam_bucket(string)], string,
                          found_out + (size_t)i * GAM_STRING_BYTES);
    }
}

static inline int32_t gam_absolute(int32_t value)
{
    return value < 0 ? -value : value;
}

/* Adds absolute values to those of `sums`; sums_out, or NULL, receives them. */
static inline void gam_sum(int32_t *sums, const int32_t *values, int32_t *sums_out,
                           uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        sums[i] = gam_absolute(sums[i]) + gam_absolute(values[i]);
    if (sums_out != NULL)
        memcpy(sums_out, sums, count * sizeof *sums);
}

/* The same beside others that do it: no sum is below 0. */
static inline void gam_sum_atomic(int32_t *sums, const int32_t *values, int32_t *sums_out,
                                  uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const int32_t value = gam_absolute(values[i]);
        const int32_t before = __atomic_fetch_add(&sums[i], value, __ATOMIC_RELAXED);
        if (sums_out != NULL)
            sums_out[i] = before + value;
    }
}

/* --- calls of the same ------------------------------------------------------------------- */

/* Head of a call's payload. Segments follow. */
typedef struct gam_call {
    uint32_t is_sum;
    uint32_t segments;
    uint32_t values; /* of a segment */
    uint32_t first;  /* of the sums, to which the first value is added */
} gam_call;

/* Target arguments of the function. */
typedef struct gam_share {
    const gam_table *table;
    int32_t *sums;
} gam_share;

#endif
