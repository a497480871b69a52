/* Never returns. ThreadSanitizer holds a signal back until its thread calls the C library, so
 * this does. */
#include <stddef.h>
#include <time.h>

void ceaseless_main(void *payload, size_t size, void *target_args)
{
    static volatile time_t now;
    (void)payload;
    (void)size;
    (void)target_args;
    for (;;)
        now = time(NULL);
}
