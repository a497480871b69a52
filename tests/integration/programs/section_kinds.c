/* prints: 1117 2227 3337 4447 */
/* Sections as firmware has them: code, constants, variables with and without a beginning, and a
 * name that is meant for an assembler. */
#include <stdio.h>
#include <tc/entry.h>

static int thousands __attribute__((section(".noinit")));
static int hundreds __attribute__((section(".mybss,\"aw\",@nobits#")));
static int tens __attribute__((section(".bss.tens")));
static const volatile int unit __attribute__((section("tests_constants"))) = 7;

__attribute__((section(".ramfunc"), noinline)) static int next(int number)
{
    return number + 1;
}

__attribute__((section(".init.text"), noinline)) static int sum(void)
{
    return thousands * 1000 + hundreds * 100 + tens * 10 + unit;
}

void section_kinds_main(void *payload, size_t size, void *target_args)
{
    (void)payload, (void)size, (void)target_args;
    thousands = next(thousands);
    hundreds = next(hundreds);
    tens = next(tens);
    (void)printf("%d\n", sum());
    (void)fflush(stdout);
}
