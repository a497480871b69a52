// Methods and constructors in C++: an exception ends the message alone, and the object goes on.
#include "thing.h"

#include <tc/object_entry.h>

TC_OBJECT_ATOMIC(thing_throw, thing, thing_amount)
(thing *mine, const thing_amount *message, tc_object_self *self)
{
    (void)self;
    if (tc_task_sleep(1000) != TC_OK || message->amount == 7)
        throw static_cast<int>(message->amount);
    mine->value += message->amount;
    tc_reply(&mine->value, sizeof mine->value);
}
