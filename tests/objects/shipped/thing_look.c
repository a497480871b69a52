#include "thing.h"

#include <tc/object_entry.h>

TC_OBJECT_METHOD(thing_look, thing, tc_gptr)
(thing *mine, const tc_gptr *message, tc_object_self *self)
{
    const uint64_t bytes = tc_object_state_size(self);
    thing_answer answer = {mine->value, mine->inside_max, bytes, 1, self->node->rank};
    const unsigned char *rest = (const unsigned char *)(mine + 1);
    (void)message;
    for (uint64_t i = 0; i + sizeof *mine < bytes; i++)
        answer.is_whole &= rest[i] == (unsigned char)(mine->seed + i * 7);
    tc_reply(&answer, sizeof answer);
}
