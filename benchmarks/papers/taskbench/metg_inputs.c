/* Carries outputs of neighbouring points to another rank, and stores them in its inbox, for its
 * tasks to read. The payload has the outputs alone. */
#include "metg.h"

void metg_inputs_main(void *payload, size_t size, void *target_args)
{
    const metg_share *share = target_args;
    const metg_inbox *inbox = &share->inbox;
    const metg_output *first = payload;
    const uint32_t origin = tc_self_origin();
    if (share == NULL || size < sizeof *first || origin >= inbox->ranks)
        return; /* the receiver's wait then ends at its deadline */
    const uint32_t index = (uint32_t)first->id - origin * inbox->own;
    if (index >= inbox->own || size > (inbox->own - index) * inbox->output_bytes)
        return;
    metg_output *to = metg_inbox_output(inbox, origin, metg_id_step(first->id), index);
    if (size == sizeof *to)
        *to = *first;
    else
        __builtin_memcpy(to, payload, size);
}
