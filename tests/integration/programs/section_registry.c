/* with: section_registry_other.c */
/* prints: 1:1111 2:2222 3:3333 4:4444 */
/* A registry with entries that are variables in a section, in two sources, between the bounds
 * that linkers make; one with variables that are written, and an empty one. */
#include <stddef.h>
#include <stdio.h>
#include <tc/entry.h>

#include "section_registry.h"

static int hundreds(int number)
{
    return number * 100;
}

static int thousands(int number)
{
    return number * 1000;
}

static const registered first
    __attribute__((used, section("tests_registry"))) = {hundreds, 'c'};
static const registered second
    __attribute__((used, section("tests_registry"))) = {thousands, 'd'};
static int calls __attribute__((used, section("tests_counters")));

extern const registered __start_tests_registry[], __stop_tests_registry[];
extern int __start_tests_counters[], __stop_tests_counters[];
extern char __start_tests_nobody[] __attribute__((weak)),
    __stop_tests_nobody[] __attribute__((weak));

void section_registry_main(void *payload, size_t size, void *target_args)
{
    int sum = 0;
    (void)payload, (void)size, (void)target_args;
    calls++;
    for (int *counter = __start_tests_counters; counter < __stop_tests_counters; counter++)
        sum += *counter;
    int count = sum - 100 + (__start_tests_nobody != __stop_tests_nobody), total = 0;
    for (const registered *r = __start_tests_registry; r < __stop_tests_registry; r++)
        total += r->function(count);
    (void)printf("%d:%d\n", calls, total);
    (void)fflush(stdout);
}
