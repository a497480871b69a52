/* Carries a part of the chunk that one rank sends to another between the two layouts, and puts
 * each point into the receiver's block at once: no buffer, no second pass. */
#include "fft.h"

#include <string.h>

size_t fft_store_payload_get_max_size(void *source_args, size_t size)
{
    const fft_source *source = source_args;
    (void)size;
    return sizeof source->head + source->head.count * sizeof(fft_point);
}

int fft_store_payload_init(void *payload, size_t payload_size, void *source_args, size_t size)
{
    const fft_source *source = source_args;
    (void)payload_size, (void)size;
    memcpy(payload, &source->head, sizeof source->head);
    memcpy((fft_head *)payload + 1, source->points, source->head.count * sizeof(fft_point));
    return 0;
}

void fft_store_main(void *payload, size_t size, void *target_args)
{
    const fft_share *share = target_args;
    const fft_head *head = payload;
    const uint32_t origin = tc_self_origin();
    if (share == NULL || size < sizeof *head || origin >= share->base.ranks ||
        size != sizeof *head + head->count * sizeof(fft_point) || head->first > share->chunk ||
        head->count > share->chunk - head->first)
        return; /* the receiver's wait then ends at its deadline */
    const mrpc_part before = mrpc_stamps_enter(share->base.stamps, MRPC_COPY);
    fft_scatter(share->block, origin, share->base.ranks, head->first,
                (const fft_point *)(head + 1), head->count);
    if (head->is_last)
        __atomic_store_n(&share->base.arrived[origin], head->exchange, __ATOMIC_RELEASE);
    (void)mrpc_stamps_enter(share->base.stamps, before);
}
