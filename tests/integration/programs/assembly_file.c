/* options: --allow-asm */
/* prints: 8 9 10 11 */
/* A function that only assembly at file scope defines. */
#include <stdio.h>
#include <tc/entry.h>

#if defined(__x86_64__)
#define NEXT "lea 1(%rdi), %rax\n"
#else
#define NEXT "add x0, x0, 1\n"
#endif

__asm__(".text\n"
        ".globl assembly_next\n"
        "assembly_next:\n" NEXT "ret\n");
long assembly_next(long number);

void assembly_file_main(void *payload, size_t size, void *target_args)
{
    static long last = 7;
    (void)payload, (void)size, (void)target_args;
    last = assembly_next(last);
    (void)printf("%ld\n", last);
    (void)fflush(stdout);
}
