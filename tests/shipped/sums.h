/* The answer of the sums function. */
#ifndef SUMS_H
#define SUMS_H

#include <stdint.h>

typedef struct sums_answer {
    uint64_t sum;
    uint64_t calls;
} sums_answer;

#endif
