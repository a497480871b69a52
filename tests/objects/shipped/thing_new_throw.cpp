// A constructor that throws: the object is freed.
#include "thing.h"

#include <tc/object_entry.h>

TC_OBJECT_CONSTRUCTOR(thing_new_throw, thing)
(thing *mine, const void *arguments, size_t size, tc_object_self *self)
{
    (void)arguments;
    (void)self;
    mine->value = 3;
    if (size > 0)
        throw 7;
}
