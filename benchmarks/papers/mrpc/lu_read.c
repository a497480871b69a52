/* Answers with one block. */
#include "lu.h"

void lu_read_main(void *payload, size_t size, void *target_args)
{
    const lu_share *share = target_args;
    const uint32_t *slot = payload;
    if (share == NULL || size != sizeof *slot || *slot >= share->count) {
        (void)tc_reply_error(TC_E_INVALID, "lu_read: expected the slot of a block");
        return;
    }
    const mrpc_part before = mrpc_stamps_enter(share->base.stamps, MRPC_COPY);
    (void)tc_reply(&share->blocks[*slot], sizeof(lu_block));
    (void)mrpc_stamps_enter(share->base.stamps, before);
}
