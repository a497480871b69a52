/* prints: 6 12 24 48 */
/* A variable in a section of its own, and no other. */
#include <stdio.h>
#include <tc/entry.h>

static int doubled __attribute__((section("tests_section"))) = 3;

void section_variable_main(void *payload, size_t size, void *target_args)
{
    (void)payload, (void)size, (void)target_args;
    (void)printf("%d\n", doubled *= 2);
    (void)fflush(stdout);
}
