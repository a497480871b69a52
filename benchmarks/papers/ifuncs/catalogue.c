#include "catalogue.h"

#ifdef CATALOGUE_TRAVELS
#include <tc/library.h>

int catalogue_init(void)
{
    const uint64_t *older = tc_library_older("catalogue_calls");
    if (older != NULL)
        catalogue_calls = *older;
    return 0;
}
#endif

#define DEFINE(number)                                                                         \
    uint64_t catalogue_sum_##number;                                                           \
    uint64_t catalogue_add_##number(uint64_t n)                                                \
    {                                                                                          \
        return catalogue_sum_##number += n;                                                    \
    }

CATALOGUE_NUMBERS(DEFINE)

uint64_t catalogue_calls;

void catalogue_count(uint64_t *counter)
{
    catalogue_calls++;
    ++*counter;
}
