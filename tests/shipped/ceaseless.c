/* Never returns. */
#include <stddef.h>

void ceaseless_main(void *payload, size_t size, void *target_args);

void ceaseless_main(void *payload, size_t size, void *target_args)
{
    static volatile unsigned long turns;
    (void)payload;
    (void)size;
    (void)target_args;
    for (;;)
        turns++;
}
