/* Finds each key of the input in the table of the range, and answers with the value beside it,
 * or with zeros. */
#include "../am_ops_shared.h"

TC_AM_FUNCTION(am_search)(tc_am_unit *unit)
{
    const char *key = (const char *)unit->input, *table = (const char *)unit->persistent;
    char *value = (char *)unit->output;
    for (uint32_t s = 0; s < unit->segments; s++, key += AM_KEY_BYTES, value += AM_KEY_BYTES) {
        const uint64_t entries = unit->persistent_bytes / (2 * AM_KEY_BYTES);
        memset(value, 0, AM_KEY_BYTES);
        for (uint64_t i = 0; i < entries; i++) {
            if (memcmp(table + i * 2 * AM_KEY_BYTES, key, AM_KEY_BYTES) == 0)
                memcpy(value, table + (i * 2 + 1) * AM_KEY_BYTES, AM_KEY_BYTES);
        }
    }
}
