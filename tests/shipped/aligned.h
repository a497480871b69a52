/* The checks of the functions of aligned.c, and their counters. */
#ifndef ALIGNED_H
#define ALIGNED_H

#include <stddef.h>
#include <stdint.h>

typedef struct aligned_state {
    uint64_t calls;
    uint64_t misplaced; /* payloads that did not begin where they should */
    uint64_t wrong;     /* payloads that came damaged */
    uint64_t bytes;
    uint32_t vector_bytes; /* of the widest vectors that this CPU has */
} aligned_state;

static inline uint8_t aligned_byte(size_t size, size_t i)
{
    return (uint8_t)(size * 31 + i * 7 + (i >> 8));
}

static inline void aligned_fill(uint8_t *payload, size_t size)
{
    for (size_t i = 0; i < size; i++)
        payload[i] = aligned_byte(size, i);
}

static inline int aligned_is_whole(const uint8_t *payload, size_t size)
{
    int whole = 1;
    for (size_t i = 0; i < size; i++)
        whole &= payload[i] == aligned_byte(size, i);
    return whole;
}

#endif
