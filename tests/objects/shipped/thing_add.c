#include "thing.h"

#include <tc/object_entry.h>

TC_OBJECT_METHOD(thing_add, thing, thing_amount)
(thing *mine, const thing_amount *message, tc_object_self *self)
{
    (void)self;
    mine->value += message->amount;
    tc_reply(&mine->value, sizeof mine->value);
}
