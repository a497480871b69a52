/* A constructor by assembly. */
#include <stddef.h>

__asm__(".section .init_array,\"aw\"\n"
        ".quad asm_constructor_main\n"
        ".text\n");

void asm_constructor_main(void *payload, size_t size, void *args)
{
    (void)payload, (void)size, (void)args;
}
