#include <stddef.h>

extern const volatile int threshold;
__attribute__((section(".tchole"))) const volatile int threshold = 0;

void hole_main(void *payload, size_t payload_size, void *target_args)
{
    (void)payload;
    *(int *)target_args = (int)payload_size > threshold;
}
