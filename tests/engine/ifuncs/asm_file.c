/* Assembly that puts a file of the compiling machine into the code. */
#include <stddef.h>

__asm__(".data\n"
        ".globl asm_file_bytes\n"
        "asm_file_bytes:\n"
        ".incbin \"/etc/passwd\"\n"
        ".text\n");

void asm_file_main(void *payload, size_t size, void *args)
{
    (void)payload, (void)size, (void)args;
}
