#include "account.h"

#include <tc/object_entry.h>

TC_OBJECT_METHOD(account_deposit, account, account_message)
(account *mine, const account_message *message, tc_object_self *self)
{
    const uint32_t caller = tc_self_origin(), rank = self->node->rank;
    const int again = mine->newest == caller;
    mine->balance += message->amount;
    mine->deposits++;
    mine->newest = caller;
    mine->moves += mine->rank != rank;
    mine->rank = rank;
    tc_reply(mine, sizeof *mine);
    if (again && tc_object_move_after(self, caller) != TC_OK)
        mine->newest = TC_RANK_NONE; /* the next one asks again */
}
