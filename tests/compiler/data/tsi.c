/* The paper's Target-Side Increment. */
#include <stddef.h>
#include <stdint.h>

void tsi_main(void *payload, size_t payload_size, void *target_args)
{
    (void)payload;
    (void)payload_size;
    ++*(uint64_t *)target_args;
}
