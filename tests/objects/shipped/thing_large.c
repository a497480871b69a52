/* A method of the same class that expects a larger state: of another version of its sources. */
#include <tc/object_entry.h>

typedef struct thing {
    uint64_t words[64];
} thing;

TC_OBJECT_METHOD(thing_large, thing, tc_gptr)
(thing *mine, const tc_gptr *message, tc_object_self *self)
{
    (void)message;
    (void)self;
    mine->words[63] = 1;
}
