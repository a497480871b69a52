/* Answers one message with a hundred, from inside the function; the excess waits in the
 * queue. */
#include "check.h"

#include <tc/entry.h>

void flood_main(void *payload, size_t size, void *target_args)
{
    check_state *state = target_args;
    uint8_t *depth = payload;
    state->next++;
    if (size == 0 || *depth == 0)
        return;
    --*depth;
    for (int i = 0; i < 100; i++) {
        if (tc_send(tc_self_endpoint(), tc_self_ifunc(), payload, size) == TC_OK)
            state->replies++;
        else
            state->wrong++;
    }
}
