/* Chaser as the paper has it: it gets the address for the result, and creates ReturnResult,
 * which brings it there. */
#include "return_result.h"

#include <tc/entry.h>

static void return_result(const chase_request *job)
{
    tc_group *group = tc_self_group();
    tc_ifunc **home =
        tc_self_state(sizeof *home); /* opened by the first chase that ends here */
    if (home == NULL || (*home == NULL && tc_ifunc_open(tc_group_context(group),
                                                        "return_result", home, NULL) != TC_OK))
        return;
    (void)tc_group_send(group, (uint32_t)job->destination, *home, job, sizeof *job);
}

void chase_return_main(void *payload, size_t size, void *target_args)
{
    chase_request *job = payload;
    const dapc_shard *shard = target_args;
    dapc_walk(shard, &job->step);
    if (job->step.depth == 0)
        return_result(job);
    else
        (void)tc_forward((uint32_t)dapc_owner(shard, job->step.address), job, size);
}
