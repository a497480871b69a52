/* The main of test programs: runs the tests that their files define by TEST. */
#include "test.h"

/* The linker sets them around that section. */
extern const test_entry *const __start_tc_tests[];
extern const test_entry *const __stop_tc_tests[];

/* A compiler may emit them in another order than the file has. */
static int by_line(const void *a, const void *b)
{
    const test_entry *one = *(const test_entry *const *)a;
    const test_entry *other = *(const test_entry *const *)b;
    return (one->line > other->line) - (one->line < other->line);
}

int test_run(CMFixtureFunction set_up, CMFixtureFunction tear_down)
{
    const size_t count = (size_t)(__stop_tc_tests - __start_tc_tests);
    const test_entry *entries[count];
    struct CMUnitTest tests[count];
    memcpy(entries, __start_tc_tests, sizeof entries);
    qsort(entries, count, sizeof *entries, by_line);
    for (size_t i = 0; i < count; i++)
        tests[i] = entries[i]->test;
    return cmocka_run_group_tests(tests, set_up, tear_down);
}

/* A program may have its own. */
int main(void) __attribute__((weak));
int main(void)
{
    return test_run(NULL, NULL);
}
