/* One of many functions that differ in nothing but a number. */
#include "check.h"

#include <stddef.h>

void crowd_main(void *payload, size_t size, void *target_args)
{
    check_state *state = target_args;
    (void)payload;
    (void)size;
    state->bytes += NUMBER;
    state->next++;
}
