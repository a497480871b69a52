/* ifuncs/chase_reply.c in C++. */
#include "dapc.h"

#include <stddef.h>

#include <tc/entry.h>

extern "C" void chase_reply_cpp_main(void *payload, size_t size, void *target_args)
{
    auto *step = static_cast<dapc_step *>(payload);
    const auto *shard = static_cast<const dapc_shard *>(target_args);
    dapc_walk(shard, step);
    if (step->depth == 0)
        (void)tc_reply(&step->address, sizeof step->address);
    else
        (void)tc_forward(static_cast<uint32_t>(dapc_owner(shard, step->address)), step, size);
}
