/* Sends itself back as often as in the first payload byte, from inside the function: two
 * targets keep each other busy. */
#include "check.h"

#include <tc/entry.h>

void echo_main(void *payload, size_t size, void *target_args)
{
    check_state *state = target_args;
    uint8_t *times = payload;
    state->next++;
    if (size == 0 || *times == 0)
        return;
    --*times;
    if (tc_send(tc_self_endpoint(), tc_self_ifunc(), payload, size) == TC_OK)
        state->replies++;
    else
        state->wrong++;
}
