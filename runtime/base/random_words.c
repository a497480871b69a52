#include "random_words.h"

#include <sodium.h>
#include <string.h>

/* Asks the system for the first seed only. Each seed makes the next one, which overwrites
 * it. */
static void refill(tci_random_words *random)
{
    struct {
        uint8_t seed[sizeof random->seed];
        uint32_t words[TCI_RANDOM_WORDS];
    } next;
    if (!random->seeded)
        randombytes_buf(random->seed, sizeof random->seed);
    random->seeded = 1;
    randombytes_buf_deterministic(&next, sizeof next, random->seed);
    memcpy(random->seed, next.seed, sizeof random->seed);
    memcpy(random->words, next.words, sizeof random->words);
    random->left = TCI_RANDOM_WORDS;
}

uint32_t tci_random_words_next(tci_random_words *random)
{
    if (random->left == 0)
        refill(random);
    return random->words[--random->left];
}
