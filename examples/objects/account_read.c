#include "account.h"

#include <tc/object_entry.h>

TC_OBJECT_METHOD(account_read, account, tc_gptr)
(account *mine, const tc_gptr *message, tc_object_self *self)
{
    (void)message;
    mine->moves += mine->rank != self->node->rank;
    mine->rank = self->node->rank;
    tc_reply(mine, sizeof *mine);
}
