#include "parts.h"

uint64_t parts_calls;

uint64_t parts_sum(const uint8_t *bytes, size_t count)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += bytes[i];
    return sum;
}
