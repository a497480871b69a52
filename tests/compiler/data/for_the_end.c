#include <stdio.h>
#include <stdlib.h>

static void at_end(void)
{
    (void)puts("end");
}

void bad_main(void *payload, size_t size, void *target_args)
{
    (void)payload, (void)size, (void)target_args;
    (void)at_quick_exit(at_end);
}
