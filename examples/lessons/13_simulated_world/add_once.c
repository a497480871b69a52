/* Adds 1 to the counter, unless this addition has been made before. */
#include "counter.h"
#include <string.h>
#include <tc/entry.h>

void add_once_main(void *payload, size_t size, void *target_args)
{
    counter *c = target_args;
    addition a;
    if (size != sizeof a)
        return;
    memcpy(&a, payload, sizeof a);
    if (a.client < CLIENTS && a.number > c->last[a.client]) {
        c->last[a.client] = a.number;
        c->value++;
    }
}
