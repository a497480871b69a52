/* A method that calls another object: its message has the pointer of that behind its own. */
#include "thing.h"

#include <tc/object_entry.h>

typedef struct thing_order {
    tc_gptr object;
    thing_amount other;
} thing_order;

TC_OBJECT_ATOMIC(thing_tell, thing, thing_order)
(thing *mine, const thing_order *message, tc_object_self *self)
{
    tc_ep *ep;
    tc_error err = {TC_OK, "no endpoint"};
    tc_ifunc *add = NULL;
    uint64_t sum = 0;
    size_t size = sizeof sum;
    tc_status status = tc_object_ep_of(self, &message->other.object, &ep);
    if (status == TC_OK)
        status = tc_ifunc_open(tc_ep_context(ep), "thing_add", &add, &err);
    if (status == TC_OK)
        status = tc_call(ep, add, &message->other, sizeof message->other, &sum, &size, 0, &err);
    tc_ifunc_close(add);
    if (status != TC_OK) {
        tc_object_fail(self, status, err.text);
        return;
    }
    mine->value = sum;
    tc_reply(&sum, sizeof sum);
}
