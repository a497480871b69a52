/* Types shared by the function peruse and its test. */
#ifndef PERUSE_H
#define PERUSE_H

#include <stddef.h>
#include <stdint.h>

typedef struct peruse_state {
    uint64_t calls;
    uint64_t wrong; /* payloads that were not as peruse_fill makes them */
    int writes;     /* it then changes its payload */
    void (*seen)(struct peruse_state *state, void *payload, size_t size);
    uint64_t read_only, writable; /* which payloads were, as `seen` found */
} peruse_state;

static inline uint8_t peruse_byte(size_t size, size_t i)
{
    return (uint8_t)(size * 5 + i * 11 + (i >> 8));
}

static inline void peruse_fill(uint8_t *payload, size_t size)
{
    for (size_t i = 0; i < size; i++)
        payload[i] = peruse_byte(size, i);
}

#endif
