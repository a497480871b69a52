/* Target-Side Increment that also reports the address of its payload, so that the loop which
 * waits for the next message can poll it itself. */
#include "overhead.h"

#include <stddef.h>

void overhead_main(void *payload, size_t size, void *target_args)
{
    overhead_target *target = target_args;
    (void)size;
    target->payload = payload;
    target->calls++;
}
