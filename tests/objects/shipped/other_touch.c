/* A method of another class. */
#include "thing.h"

#include <tc/object_entry.h>

typedef struct other {
    uint64_t value;
} other;

TC_OBJECT_METHOD(other_touch, other, tc_gptr)
(other *mine, const tc_gptr *message, tc_object_self *self)
{
    (void)message;
    (void)self;
    mine->value = 1;
}
