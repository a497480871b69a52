/* Assembly that uses a missing symbol. */
#include <stddef.h>

__asm__(".data\n"
        ".quad tc_test_absent_function\n"
        ".text\n");

void asm_missing_main(void *payload, size_t size, void *args)
{
    (void)payload, (void)size, (void)args;
}
