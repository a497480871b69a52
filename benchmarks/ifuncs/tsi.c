/* Target-Side Increment: the smallest function worth sending. */
#include <stddef.h>
#include <stdint.h>

void tsi_main(void *payload, size_t size, void *target_args)
{
    (void)payload;
    (void)size;
    ++*(uint64_t *)target_args;
}
