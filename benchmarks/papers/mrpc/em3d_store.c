/* Carries the values that one rank needs of another in a phase, and stores them as ghosts.
 *
 * The source's half gathers them into the message, so nothing copies them but that and the
 * store at the receiver. Messages of one rank stay in order: with its last one of a phase, all
 * of its values of the phase are here. */
#include "em3d.h"

#include <string.h>

size_t em3d_store_payload_get_max_size(void *source_args, size_t size)
{
    const em3d_store_source *source = source_args;
    (void)size;
    return sizeof source->head + source->head.count * sizeof(double);
}

int em3d_store_payload_init(void *payload, size_t payload_size, void *source_args, size_t size)
{
    const em3d_store_source *source = source_args;
    double *values = (double *)((em3d_store_head *)payload + 1);
    (void)payload_size, (void)size;
    memcpy(payload, &source->head, sizeof source->head);
    for (uint32_t i = 0; i < source->head.count; i++)
        values[i] = source->values[source->nodes[i]];
    return 0;
}

void em3d_store_main(void *payload, size_t size, void *target_args)
{
    const em3d_share *share = target_args;
    const em3d_store_head *head = payload;
    const uint32_t origin = tc_self_origin();
    if (share == NULL || size < sizeof *head || head->kind >= EM3D_KINDS ||
        origin >= share->base.ranks || size != sizeof *head + head->count * sizeof(double) ||
        head->first > share->ghosts[head->kind] ||
        head->count > share->ghosts[head->kind] - head->first)
        return; /* the receiver's wait then ends at its deadline */
    const mrpc_part before = mrpc_stamps_enter(share->base.stamps, MRPC_COPY);
    memcpy(share->values[head->kind] + share->own + head->first, head + 1,
           head->count * sizeof(double));
    if (head->is_last)
        __atomic_store_n(&share->base.arrived[origin], head->exchange, __ATOMIC_RELEASE);
    (void)mrpc_stamps_enter(share->base.stamps, before);
}
