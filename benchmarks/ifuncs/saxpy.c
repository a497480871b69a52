/* A loop that compilers make vectors of: y = factor * x + y, over 512 floats, again and again.
 */
#include "saxpy.h"

#include <stddef.h>

/* The same source is also compiled for the machine that builds, to be compared with. */
#ifndef SAXPY_MAIN
#define SAXPY_MAIN saxpy_main
#endif

void SAXPY_MAIN(void *payload, size_t payload_size, void *target_args)
{
    const saxpy_request *request = payload;
    saxpy_target *target = target_args;
    (void)payload_size;
    target->request = request;
    for (uint64_t round = 0; round < request->rounds; round++) {
        for (size_t i = 0; i < SAXPY_COUNT; i++)
            target->y[i] += request->factor * request->x[i];
    }
}
