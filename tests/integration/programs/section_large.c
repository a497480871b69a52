/* prints: 90001 90002 90003 90004 */
/* More of each than a page. */
#include <stdio.h>
#include <tc/entry.h>

static int numbers[30000] __attribute__((section("tests_numbers")));
static const int constants[30000]
    __attribute__((section(".tests.constants"))) = {[29999] = 30000};
static const int *const pointers[2]
    __attribute__((section(".tests.pointers"))) = {&constants[29999], &numbers[29999]};

void section_large_main(void *payload, size_t size, void *target_args)
{
    (void)payload, (void)target_args;
    numbers[29999]++;
    numbers[size] = numbers[size] == 0 ? 60000 : numbers[size];
    (void)printf("%d\n", *pointers[size & 1 ? 1 : 0] + *pointers[1] + numbers[size]);
    (void)fflush(stdout);
}
