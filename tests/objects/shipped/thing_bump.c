/* Reads, waits, and writes: updates are lost if another method runs meanwhile. */
#include "thing.h"

#include <tc/object_entry.h>

TC_OBJECT_ATOMIC(thing_bump, thing, thing_amount)
(thing *mine, const thing_amount *message, tc_object_self *self)
{
    const uint64_t before = mine->value;
    if (++mine->inside > mine->inside_max)
        mine->inside_max = mine->inside;
    tc_status status = tc_task_sleep(before % 3 * 20000);
    mine->inside--;
    mine->value = before + message->amount;
    if (status != TC_OK)
        tc_object_fail(self, status, "the wait has ended");
    tc_reply(&mine->value, sizeof mine->value);
}
