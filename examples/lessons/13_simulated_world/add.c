/* Adds 1 to the counter. */
#include "counter.h"
#include <tc/entry.h>

void add_main(void *payload, size_t size, void *target_args)
{
    counter *c = target_args;
    (void)payload, (void)size;
    c->value++;
}
