#include <stddef.h>

void bad_asm_main(void *payload, size_t payload_size, void *target_args)
{
    (void)payload;
    (void)payload_size;
    __asm__ volatile("no_such_instruction 1, 2");
    __asm__ volatile("nor_this_one 3");
    *(int *)target_args = 1;
}
