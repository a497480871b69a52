/* Static data that lasts as long as the function is loaded, and all three entry points. */
#include <stddef.h>
#include <stdint.h>

static uint64_t calls;

void counter_main(void *payload, size_t payload_size, void *target_args)
{
    (void)payload;
    calls++;
    *(uint64_t *)target_args = calls * 1000 + payload_size;
}

size_t counter_payload_get_max_size(void *source_args, size_t source_args_size)
{
    (void)source_args;
    return source_args_size + 7;
}

int counter_payload_init(void *payload, size_t payload_size, void *source_args,
                         size_t source_args_size)
{
    if (source_args_size > payload_size)
        return 1;
    for (size_t i = 0; i < source_args_size; i++)
        ((unsigned char *)payload)[i] =
            (unsigned char)(((unsigned char *)source_args)[i] ^ 0x55);
    return 0;
}
