/* Answers with the positions of some molecules. */
#include "water.h"

void water_read_main(void *payload, size_t size, void *target_args)
{
    const water_share *share = target_args;
    const water_question *question = payload;
    if (share == NULL || size != sizeof *question || question->first > share->own ||
        question->count > share->own - question->first) {
        (void)tc_reply_error(TC_E_INVALID, "water_read: expected molecules of this rank");
        return;
    }
    const mrpc_part before = mrpc_stamps_enter(share->base.stamps, MRPC_COPY);
    (void)tc_reply(&share->positions[question->first],
                   question->count * sizeof(water_positions));
    (void)mrpc_stamps_enter(share->base.stamps, before);
}
