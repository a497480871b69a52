#include "thing.h"

#include <tc/object_entry.h>

TC_OBJECT_DESTRUCTOR(thing_drop, thing)
(thing *mine, const tc_gptr *message, tc_object_self *self)
{
    thing_rank *rank = tc_self_data(THING_RANK, NULL);
    (void)message;
    if (mine->value == 13 || rank == NULL)
        tc_object_fail(self, TC_E_INVALID, "a thing of 13 stays");
    else
        rank->destroyed++;
}
