#include <stddef.h>
__asm__(".globl at_file_scope\nat_file_scope:\n");
void bad_main(void *payload, size_t size, void *target_args)
{
    __asm__ volatile("nop");
    __asm__ volatile("" : "+r"(payload) : : "memory");
    (void)payload;
    (void)size;
    (void)target_args;
}
