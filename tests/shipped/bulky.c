/* Code too large for a frame: it carries a table of 80 KiB that does not compress away. */
#include "check.h"

#include "bulky_table.h"

void bulky_main(void *payload, size_t size, void *target_args)
{
    check_state *state = target_args;
    uint64_t sum = 0;
    (void)payload;
    for (size_t i = 0; i < sizeof bulky_table / sizeof bulky_table[0]; i++)
        sum += bulky_table[i];
    state->wrong += sum != BULKY_SUM;
    state->bytes += size;
    state->next++;
}
