/* Carries blocks that another rank needs into its slots for them. Messages of one rank stay in
 * order: with a mark, all blocks before it are there. */
#include "lu.h"

#include <string.h>

size_t lu_store_payload_get_max_size(void *source_args, size_t size)
{
    const lu_source *source = source_args;
    (void)size;
    return sizeof source->head + source->head.count * sizeof(lu_block);
}

int lu_store_payload_init(void *payload, size_t payload_size, void *source_args, size_t size)
{
    const lu_source *source = source_args;
    lu_block *blocks = (lu_block *)((lu_head *)payload + 1);
    (void)payload_size, (void)size;
    memcpy(payload, &source->head, sizeof source->head);
    for (uint32_t i = 0; i < source->head.count; i++)
        blocks[i] = source->blocks[source->head.slots[i]];
    return 0;
}

void lu_store_main(void *payload, size_t size, void *target_args)
{
    const lu_share *share = target_args;
    const lu_head *head = payload;
    const lu_block *blocks = (const lu_block *)(head + 1);
    const uint32_t origin = tc_self_origin();
    if (share == NULL || size < sizeof *head || origin >= share->base.ranks ||
        head->count > LU_MESSAGE_MAX || size != sizeof *head + head->count * sizeof *blocks)
        return; /* the receiver's wait then ends at its deadline */
    const mrpc_part before = mrpc_stamps_enter(share->base.stamps, MRPC_COPY);
    for (uint32_t i = 0; i < head->count; i++) {
        if (head->slots[i] < share->count)
            share->blocks[head->slots[i]] = blocks[i];
    }
    if (head->mark != 0)
        __atomic_store_n(&share->base.arrived[origin], head->mark, __ATOMIC_RELEASE);
    (void)mrpc_stamps_enter(share->base.stamps, before);
}
