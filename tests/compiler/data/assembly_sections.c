/* Code that the checks of bitcode cannot see. */
#ifdef WITH_IFUNC
__asm__(".text\n"
        "resolver: ret\n"
        ".type chosen, @gnu_indirect_function\n"
        ".globl chosen\n"
        ".hidden chosen\n"
        ".set chosen, resolver\n");
void chosen(void);
void (*volatile pointer)(void) = chosen;
#elif defined(WITH_ODD_ADDRESS)
__asm__(".data\n"
        ".balign 8\n"
        ".byte 1\n"
        ".globl odd\n"
        ".hidden odd\n"
        "odd: .quad odd\n"
        ".text\n");
extern char odd[];
static char *volatile pointer = odd;
#elif defined(WITH_WRITTEN_CODE)
__asm__(".section .ram, \"awx\"\n"
        ".globl ram\n"
        ".hidden ram\n"
        "ram: ret\n"
        ".text\n");
extern char ram[];
static char *volatile pointer = ram;
#elif defined(WITH_THREAD_LOCAL)
static void (*volatile pointer)(void);
__asm__(".section .tdata.each, \"awTR\"\n"
        ".quad 1\n"
        ".text\n");
#else
static void (*volatile pointer)(void);
__asm__(".section .init_array, \"aw\"\n"
        ".balign 8\n"
        ".quad 0\n"
        ".text\n");
#endif
void bad_main(void *payload, unsigned long size, void *target)
{
    (void)payload;
    (void)size;
    *(void *volatile *)target = (void *)pointer;
}
