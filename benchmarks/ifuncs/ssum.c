/* Server-Side Sum: adds up a payload of 32-bit numbers and keeps the sum where it runs. After
 * Two-Chains, VI-B. */
#include "ssum.h"

#include <stddef.h>

void ssum_main(void *payload, size_t size, void *target_args)
{
    ssum_target *target = target_args;
    const uint32_t *numbers = payload;
    uint64_t sum = 0;
    for (size_t i = 0; i < size / sizeof *numbers; i++)
        sum += numbers[i];
    target->payload = payload;
    target->sums[target->calls++ % SSUM_SPOTS] = sum;
    target->total += sum;
}
