/* Adds forces to molecules of the rank that it is sent to. One thread runs a rank's functions,
 * so each message is added in one go. */
#include "water.h"

#include <string.h>

size_t water_add_payload_get_max_size(void *source_args, size_t size)
{
    const water_source *source = source_args;
    (void)size;
    return sizeof source->head + source->head.count * sizeof(water_forces);
}

int water_add_payload_init(void *payload, size_t payload_size, void *source_args, size_t size)
{
    const water_source *source = source_args;
    (void)payload_size, (void)size;
    memcpy(payload, &source->head, sizeof source->head);
    memcpy((water_head *)payload + 1, source->forces,
           source->head.count * sizeof(water_forces));
    return 0;
}

void water_add_main(void *payload, size_t size, void *target_args)
{
    const water_share *share = target_args;
    const water_head *head = payload;
    const water_forces *forces = (const water_forces *)(head + 1);
    const uint32_t origin = tc_self_origin();
    if (share == NULL || size < sizeof *head || origin >= share->base.ranks ||
        size != sizeof *head + head->count * sizeof *forces || head->first > share->own ||
        head->count > share->own - head->first)
        return; /* the receiver's wait then ends at its deadline */
    const mrpc_part before = mrpc_stamps_enter(share->base.stamps, MRPC_COPY);
    for (uint32_t i = 0; i < head->count; i++) {
        for (uint32_t k = 0; k < WATER_NUMBERS; k++)
            share->forces[head->first + i].on[k] += forces[i].on[k];
    }
    if (head->mark != 0)
        __atomic_store_n(&share->base.arrived[origin], head->mark, __ATOMIC_RELEASE);
    (void)mrpc_stamps_enter(share->base.stamps, before);
}
