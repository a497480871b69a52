/* The message and a hole of `holed`. */
#ifndef HOLED_H
#define HOLED_H

#include <stdint.h>

typedef struct holed_offset {
    uint32_t low;
    uint8_t high[3];
} holed_offset;

typedef struct holed_message {
    uint64_t number;
    uint64_t times; /* above 0: the function sends itself back with the result, one less */
} holed_message;

static inline uint64_t holed_result(uint64_t number, uint64_t factor, holed_offset offset)
{
    return number * factor + offset.low + 1000u * offset.high[2];
}

#endif
