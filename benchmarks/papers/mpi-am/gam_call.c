/* The operations as a function that is called. */
#include "gam_work.h"

#include <tc/entry.h>

void gam_call_main(void *payload, size_t size, void *target_args)
{
    const gam_call *call = payload;
    const gam_share *share = target_args;
    const void *input = call + 1;
    (void)size;
    if (call->is_sum != 0) {
        const uint32_t count = call->segments * call->values;
        gam_sum(share->sums + call->first, input, NULL, count);
        (void)tc_reply(share->sums + call->first, count * sizeof(int32_t));
    } else {
        void *found;
        if (tc_reply_begin((size_t)call->segments * GAM_STRING_BYTES, &found) != TC_OK)
            return;
        gam_search(share->table, input, found, call->segments);
        (void)tc_reply_commit((size_t)call->segments * GAM_STRING_BYTES);
    }
}
