#include <stddef.h>
void other(void *payload, size_t size, void *target_args)
{
    *(size_t *)target_args = size;
    (void)payload;
}
void bad_main(void *payload, size_t size, void *target_args) __attribute__((alias("other")));
