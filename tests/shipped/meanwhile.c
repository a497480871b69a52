/* A message that fails on the source: it executes its arguments when its payload is measured,
 * and then the payload fails. */
#include "meanwhile.h"

#include <stddef.h>

size_t meanwhile_payload_get_max_size(void *args, size_t args_size)
{
    const meanwhile_args *what = args;
    (void)args_size;
    what->does(what->user);
    return 1;
}

int meanwhile_payload_init(void *payload, size_t payload_size, void *args, size_t args_size)
{
    (void)payload;
    (void)payload_size;
    (void)args;
    (void)args_size;
    return -1;
}

void meanwhile_main(void *payload, size_t size, void *target_args)
{
    (void)payload;
    (void)size;
    (void)target_args;
}
