#include <stddef.h>
#include <stdint.h>

uint64_t parts_sum(const uint8_t *bytes, size_t count);
extern uint64_t parts_calls;
