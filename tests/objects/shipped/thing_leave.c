/* Has the object move to the rank `amount`, or with UINT32_MAX be destroyed. */
#include "thing.h"

#include <tc/object_entry.h>

TC_OBJECT_METHOD(thing_leave, thing, thing_amount)
(thing *mine, const thing_amount *message, tc_object_self *self)
{
    tc_status status = message->amount == UINT32_MAX
                           ? tc_object_destroy_after(self)
                           : tc_object_move_after(self, (uint32_t)message->amount);
    (void)mine;
    if (status != TC_OK)
        tc_object_fail(self, status, "it stays");
}
