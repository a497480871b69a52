#include <stddef.h>

static int implementation(void)
{
    return 7;
}

static int (*choose(void))(void)
{
    return implementation;
}

int chosen(void) __attribute__((ifunc("choose")));

void gnu_ifunc_main(void *payload, size_t payload_size, void *target_args)
{
    (void)payload;
    (void)payload_size;
    *(int *)target_args = chosen();
}
