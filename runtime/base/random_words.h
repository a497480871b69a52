/* Unpredictable numbers for frequent use: a system call for each would take longer than the
 * work that needs it. */
#ifndef TCI_RANDOM_WORDS_H
#define TCI_RANDOM_WORDS_H

#include <stdint.h>

/* So many that libsodium makes several blocks of its cipher at a time. */
#define TCI_RANDOM_WORDS 256u

/* Zero at first. */
typedef struct tci_random_words {
    uint8_t seed[32];
    uint32_t words[TCI_RANDOM_WORDS];
    unsigned left; /* unused words */
    uint8_t seeded;
} tci_random_words;

uint32_t tci_random_words_next(tci_random_words *random);

#endif
