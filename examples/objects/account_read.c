#include "account.h"
#include "object_entry.h"

void account_read_main(void *payload, size_t size, void *target_args)
{
    const object_head *head = payload;
    const account *mine = object_enter(payload, size, sizeof *head, sizeof *mine);
    (void)target_args;
    if (mine == NULL)
        return;
    const account_answer answer = {*mine, object_whereabouts(head->object)};
    (void)tc_reply(&answer, sizeof answer);
}
