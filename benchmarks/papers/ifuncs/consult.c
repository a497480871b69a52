/* Uses every symbol of its node's catalogue, and answers with their values. */
#include "catalogue.h"

#include <tc/entry.h>

#define ADD(number)                                                                            \
    (void)catalogue_add_##number(1);                                                           \
    answer.sums += catalogue_sum_##number;

void consult_main(void *payload, size_t size, void *target_args)
{
    uint64_t counter = 0;
    catalogue_answer answer = {0};
    (void)payload, (void)size, (void)target_args;
    catalogue_count(&counter);
    answer.calls = catalogue_calls;
    CATALOGUE_NUMBERS(ADD)
    (void)tc_reply(&answer, sizeof answer);
}
