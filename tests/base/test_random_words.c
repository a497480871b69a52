#include "base/random_words.h"

#include "../support/test.h"

#include <stdlib.h>

#define COUNT (3 * TCI_RANDOM_WORDS + 5)

static int compare(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* By chance one such pair in 200,000 runs. */
TEST(none_comes_twice_and_no_two_sequences_are_alike)
{
    tci_random_words one = {0}, other = {0};
    uint32_t words[2 * COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        words[2 * i] = tci_random_words_next(&one);
        words[2 * i + 1] = tci_random_words_next(&other);
    }
    qsort(words, 2 * COUNT, sizeof words[0], compare);
    unsigned pairs = 0;
    for (size_t i = 1; i < 2 * COUNT; i++)
        pairs += words[i] == words[i - 1];
    assert_in_range(pairs, 0, 2);
}
