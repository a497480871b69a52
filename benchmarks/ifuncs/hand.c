/* The functions of typed.h for the same messages and answers, with entries that were written by
 * hand. The size of a message is checked as the made entries do. */
#include "typed.h"

#include <tc/entry.h>

static int has_size(size_t size, size_t expected)
{
    if (size != expected)
        tc_self_fail(TC_E_INVALID, "the message has a wrong size");
    return size == expected;
}

void hand_null_main(void *payload, size_t size, void *target_args)
{
    (void)payload, (void)target_args;
    (void)has_size(size, 0);
}

void hand_word_main(void *payload, size_t size, void *target_args)
{
    const uint64_t *word = payload;
    (void)target_args;
    if (!has_size(size, sizeof *word))
        return;
    const uint64_t next = *word + 1;
    (void)tc_reply(&next, sizeof next);
}

void hand_two_main(void *payload, size_t size, void *target_args)
{
    const uint64_t *words = payload;
    (void)target_args;
    if (!has_size(size, 2 * sizeof *words))
        return;
    const uint64_t sum = words[0] + words[1];
    (void)tc_reply(&sum, sizeof sum);
}

/* In the message, which is the answer then. */
void hand_doubles_main(void *payload, size_t size, void *target_args)
{
    double *values = payload;
    (void)target_args;
    if (!has_size(size, TYPED_DOUBLES * sizeof *values))
        return;
    for (int i = 0; i < TYPED_DOUBLES; i++)
        values[i] += 1;
    (void)tc_reply(values, size);
}
