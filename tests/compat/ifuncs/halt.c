/* Ends a server's loop. Nothing is in its payload, and nothing is made of its arguments. */
#include "seek.h"

size_t halt_payload_bound(void *source_args, size_t size)
{
    (void)source_args;
    return size;
}

int halt_payload_init(void *source_args, size_t size, void *payload, size_t *payload_size)
{
    (void)source_args;
    (void)size;
    (void)payload;
    (void)payload_size;
    return 0;
}

void halt_main(void *payload, size_t payload_size, void *target_args)
{
    (void)payload;
    (void)payload_size;
    ((seek_place *)target_args)->stopped = 1;
}
