/* Assembly outside functions: it defines one symbol and uses a variable, a function and a
 * symbol of the library. */
#include <stddef.h>
#include <stdint.h>

extern uint64_t asm_symbols_table[];
static uint64_t from_c __attribute__((used)) = 7;

static uint64_t count(void) __attribute__((used));
static uint64_t count(void)
{
    return ++from_c;
}

__asm__(".data\n"
        ".balign 8\n"
        ".globl asm_symbols_table\n"
        "asm_symbols_table:\n"
        ".quad from_c, count, strlen\n"
        ".text\n");

void asm_symbols_main(void *payload, size_t size, void *args)
{
    uint64_t *out = args;
    size_t (*length)(const char *) = (size_t(*)(const char *))asm_symbols_table[2];
    out[0] = *(uint64_t *)asm_symbols_table[0];
    out[1] = ((uint64_t(*)(void))asm_symbols_table[1])();
    out[2] = length("four");
    (void)payload, (void)size;
}
