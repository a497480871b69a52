/* Checks itself: that it is the next message, and whole. */
#include "check.h"

#include <tc/entry.h>
#include <unistd.h>

void check_main(void *payload, size_t size, void *target_args)
{
    check_state *state = target_args;
    const uint8_t *bytes = payload;
    int whole = 1;
    for (size_t i = 0; i < size; i++)
        whole &= bytes[i] == check_byte(state->next, size, i);
    state->wrong += !whole;
    state->bytes += size;
    state->next++;
    if (state->nap_us > 0)
        usleep(state->nap_us);
    if (state->note != NULL)
        state->note(tc_self_endpoint());
}
