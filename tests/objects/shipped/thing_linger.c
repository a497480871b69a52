/* Waits for so many nanoseconds, beside others. */
#include "thing.h"

#include <tc/object_entry.h>

TC_OBJECT_THREADED(thing_linger, thing, thing_amount)
(thing *mine, const thing_amount *message, tc_object_self *self)
{
    if (++mine->inside > mine->inside_max)
        mine->inside_max = mine->inside;
    tc_status status = tc_task_sleep(message->amount);
    mine->inside--;
    if (status != TC_OK)
        tc_object_fail(self, status, "the wait has ended");
    tc_reply(&mine->value, sizeof mine->value);
}
