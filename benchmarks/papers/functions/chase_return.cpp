/* ifuncs/chase_return.c in C++. */
#include "return_result.h"

#include <stddef.h>

#include <tc/entry.h>

static void return_result(const chase_request &job)
{
    tc_group *group = tc_self_group();
    auto *home = static_cast<tc_ifunc **>(tc_self_state(sizeof(tc_ifunc *)));
    if (home == nullptr ||
        (*home == nullptr &&
         tc_ifunc_open(tc_group_context(group), "return_result", home, nullptr) != TC_OK))
        return;
    (void)tc_group_send(group, static_cast<uint32_t>(job.destination), *home, &job, sizeof job);
}

extern "C" void chase_return_cpp_main(void *payload, size_t size, void *target_args)
{
    auto *job = static_cast<chase_request *>(payload);
    const auto *shard = static_cast<const dapc_shard *>(target_args);
    dapc_walk(shard, &job->step);
    if (job->step.depth == 0)
        return_result(*job);
    else
        (void)tc_forward(static_cast<uint32_t>(dapc_owner(shard, job->step.address)), job,
                         size);
}
