#include <stddef.h>

void warns_main(void *payload, size_t size, void *target_args)
{
    int unused_here = 3;
    (void)payload;
    (void)size;
    (void)target_args;
}
