/* The X-RDMA operation Chaser: follows pointers for as long as they lead to this server, then
 * sends itself on to the server that has the next one; the last entry is its answer. */
#include "dapc.h"

#include <tc/entry.h>

void chase_reply_main(void *payload, size_t size, void *target_args)
{
    dapc_step *step = payload;
    const dapc_shard *shard = target_args;
    dapc_walk(shard, step);
    /* The library reports errors of either to the caller. */
    if (step->depth == 0)
        (void)tc_reply(&step->address, sizeof step->address);
    else
        (void)tc_forward((uint32_t)dapc_owner(shard, step->address), step, size);
}
