/* Has static data of all kinds: its memory of earlier calls. */
#include "check.h"

static uint64_t calls;
static uint64_t started = 1000;
static const uint64_t *const where = &started;

void memory_main(void *payload, size_t size, void *target_args)
{
    check_state *state = target_args;
    (void)payload;
    (void)size;
    calls++;
    started++;
    state->bytes = *where + calls;
    state->next++;
}
