#include "section_registry.h"

static int units(int number)
{
    return number;
}

static int tens(int number)
{
    return number * 10;
}

__attribute__((used, section("tests_registry"))) static const registered others[2] = {
    {units, 'a'}, {tens, 'b'}};
__attribute__((used, section("tests_counters"))) static int hundred = 100;
