#include <stddef.h>

static int ready;

static void get_ready(void)
{
    ready = 1;
}

__attribute__((section(".init_array"), used)) static void (*const registered)(void) = get_ready;

void constructor_section_main(void *payload, size_t payload_size, void *target_args)
{
    (void)payload;
    (void)payload_size;
    *(int *)target_args = ready;
}
