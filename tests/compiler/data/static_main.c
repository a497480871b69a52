#include <stddef.h>
static __attribute__((used)) void bad_main(void *payload, size_t size, void *target_args)
{
    *(size_t *)target_args = size;
    (void)payload;
}
