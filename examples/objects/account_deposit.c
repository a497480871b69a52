#include "account.h"
#include "object_entry.h"

void account_deposit_main(void *payload, size_t size, void *target_args)
{
    const account_message *message = payload;
    account *mine = object_enter(payload, size, sizeof *message, sizeof *mine);
    uint32_t caller = tc_self_origin();
    (void)target_args;
    if (mine == NULL)
        return;
    bool again = mine->newest == caller;
    mine->balance += message->amount;
    mine->deposits++;
    mine->newest = caller;
    const account_answer answer = {*mine, object_whereabouts(message->head.object)};
    (void)tc_reply(&answer, sizeof answer);
    if (again)
        object_move(message->head.object, caller);
}
