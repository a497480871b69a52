#include "tool_number.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

bool tool_number(const char *tool, const char *option, const char *text, uint64_t min,
                 uint64_t max, uint64_t *value_out)
{
    char *end;
    errno = 0;
    uint64_t value = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || value < min ||
        value > max) {
        fprintf(stderr, "%s: %s '%s': expected %" PRIu64 " to %" PRIu64 "\n", tool, option,
                text, min, max);
        return false;
    }
    *value_out = value;
    return true;
}
