#include <stddef.h>
static int plain(void)
{
    return 3;
}
static int (*choose(void))(void)
{
    return plain;
}
int chosen(void) __attribute__((ifunc("choose")));

void bad_main(void *payload, size_t size, void *target_args)
{
    *(int *)target_args = chosen() + (int)size;
    (void)payload;
}
