/* Answers with the sum of its payload's bytes, and with the count of its calls, which a
 * variable of its own keeps. */
#include "sums.h"

#include <tc/entry.h>

static uint64_t calls;

void sums_main(void *payload, size_t size, void *target_args)
{
    const uint8_t *bytes = payload;
    sums_answer answer = {.calls = ++calls};
    (void)target_args;
    for (size_t i = 0; i < size; i++)
        answer.sum += bytes[i];
    (void)tc_reply(&answer, sizeof answer);
}
