/* Types shared by the functions of the tests and the tests. */
#ifndef CHECK_H
#define CHECK_H

#include <stddef.h>
#include <stdint.h>

/* target_args of every target in the tests. */
typedef struct check_state {
    uint64_t next;  /* number of the message that comes next */
    uint64_t wrong; /* messages that were not the next, or not whole */
    uint64_t bytes; /* of payload, in all */
    uint64_t replies;
    uint32_t nap_us;              /* a slow consumer sleeps so long in each message */
    void (*note)(void *endpoint); /* called with tc_self_endpoint(), when set */
    void *other;                  /* an endpoint that `patient` calls */
} check_state;

/* Byte i of message n; sizes and offsets both show. */
static inline uint8_t check_byte(uint64_t n, size_t size, size_t i)
{
    return (uint8_t)(n * 31 + size * 7 + i * 13 + (i >> 8));
}

static inline void check_fill(uint8_t *payload, uint64_t n, size_t size)
{
    for (size_t i = 0; i < size; i++)
        payload[i] = check_byte(n, size, i);
}

#endif
