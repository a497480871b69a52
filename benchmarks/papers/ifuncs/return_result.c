/* The X-RDMA operation ReturnResult: gives a chase's result to its caller. */
#include "return_result.h"

#include <stddef.h>

void return_result_main(void *payload, size_t size, void *target_args)
{
    const chase_request *job = payload;
    const chase_results *results = target_args;
    if (size == sizeof *job)
        results->done(results->user, job->slot, job->step.address);
}
