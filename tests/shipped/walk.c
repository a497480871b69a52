/* Goes from member to member, and answers from the last one with which they were. */
#include "walk.h"

#include <tc/entry.h>

void walk_main(void *payload, size_t size, void *target_args)
{
    walk_message *m = payload;
    (void)target_args;
    if (size != sizeof *m || m->width == 0) {
        (void)tc_reply_error(TC_E_CORRUPT, "no walk");
        return;
    }
    m->digest = walk_digest(m->digest, tc_self_rank());
    m->size = tc_self_size();
    if (m->left == 0) {
        (void)tc_reply(m, sizeof *m);
        return;
    }
    m->left--;
    (void)tc_forward(walk_next(m, tc_self_rank()), m, sizeof *m);
}
