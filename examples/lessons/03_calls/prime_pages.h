/* The messages between the caller and its function: a question, and one page of the answer. */
#ifndef PRIME_PAGES_H
#define PRIME_PAGES_H

#include <stdint.h>

#define PRIMES_PER_PAGE 10

/* "The prime numbers from `from` on, below `below`." */
typedef struct prime_query {
    uint32_t from;
    uint32_t below;
    uint32_t delay_ms; /* as if looking for them took longer */
} prime_query;

typedef struct prime_page {
    uint32_t next; /* where the next page begins; the end of the answer if that is `below` */
    uint32_t count;
    uint32_t primes[PRIMES_PER_PAGE];
} prime_page;

#endif
