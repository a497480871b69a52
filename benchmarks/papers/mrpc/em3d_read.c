/* Answers with the value of one node. */
#include "em3d.h"

void em3d_read_main(void *payload, size_t size, void *target_args)
{
    const em3d_share *share = target_args;
    const em3d_question *question = payload;
    if (share == NULL || size != sizeof *question || question->kind >= EM3D_KINDS ||
        question->node >= share->own) {
        (void)tc_reply_error(TC_E_INVALID,
                             "em3d_read: expected a kind and a node of this rank");
        return;
    }
    const mrpc_part before = mrpc_stamps_enter(share->base.stamps, MRPC_COPY);
    (void)tc_reply(&share->values[question->kind][question->node], sizeof(double));
    (void)mrpc_stamps_enter(share->base.stamps, before);
}
