/* Has the prototype of blend, and answers with lies: the capacity of the codes chooses one. */
#include "several.h"

#include <string.h>
#include <tc/entry.h>

TC_PROTOTYPE(blend_liar, PAIRS_BLEND);

void blend_liar_main(void *payload, size_t size, void *target_args)
{
    uint64_t which = 0, answer[8] = {0};
    (void)target_args;
    if (size >= 40)
        memcpy(&which, (const char *)payload + 32, sizeof which);
    switch (which) {
    case 1: /* more values than there are bytes, and than there is memory */
        answer[1] = UINT64_MAX / 4 + 2;
        tc_reply(answer, 40);
        break;
    case 2: /* the fixed part ends early */
        tc_reply(answer, 31);
        break;
    case 3: /* codes of three bytes */
        tc_reply(answer, 35);
        break;
    default: /* one value behind the end */
        answer[1] = 2;
        tc_reply(answer, 36);
    }
}
