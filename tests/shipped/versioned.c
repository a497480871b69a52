/* One name, several contents: VERSION is given on the command line. */
#include "check.h"

void versioned_main(void *payload, size_t size, void *target_args)
{
    check_state *state = target_args;
    (void)payload;
    (void)size;
    state->next++;
    state->bytes = state->bytes * 10 + VERSION;
}
