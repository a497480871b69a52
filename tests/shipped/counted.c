/* Counts its calls in variables of its own, and checks that the count goes on as the sender
 * counts. */
#include "check.h"

#include <stddef.h>
#include <stdint.h>

static uint64_t calls;
static uint64_t sums[4] = {1000, 2000, 3000, 4000};
static const uint64_t *last = &sums[0];

void counted_main(void *payload, size_t size, void *target_args)
{
    check_state *state = target_args;
    uint64_t n = *(const uint64_t *)payload;
    (void)size;
    state->wrong += n != calls || last != &sums[calls % 4];
    sums[calls % 4]++;
    calls++;
    last = &sums[calls % 4];
    state->bytes = sums[0] + sums[1] + sums[2] + sums[3];
    state->next++;
}
