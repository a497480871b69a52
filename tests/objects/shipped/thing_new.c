#include "thing.h"

#include <string.h>
#include <tc/object_entry.h>

TC_OBJECT_CONSTRUCTOR(thing_new, thing)
(thing *mine, const void *arguments, size_t size, tc_object_self *self)
{
    thing_start start;
    if (size != sizeof start) {
        tc_object_fail(self, TC_E_INVALID, "a thing begins with 16 bytes");
        return;
    }
    memcpy(&start, arguments, sizeof start);
    if (start.bytes > sizeof *mine)
        mine = tc_object_resize(self, start.bytes);
    if (mine == NULL) {
        tc_object_fail(self, TC_E_NO_MEMORY, "no such state");
        return;
    }
    mine->seed = start.seed;
    unsigned char *rest = (unsigned char *)(mine + 1);
    for (uint64_t i = 0; i + sizeof *mine < start.bytes; i++)
        rest[i] = (unsigned char)(start.seed + i * 7);
}
