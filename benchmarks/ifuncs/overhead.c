/* Target-Side Increment that also says where its payload lay, so that the loop which waits for
 * the next message can look at it itself. */
#include "overhead.h"

#include <stddef.h>

void overhead_main(void *payload, size_t size, void *target_args)
{
    overhead_target *target = target_args;
    (void)size;
    target->payload = payload;
    target->calls++;
}
