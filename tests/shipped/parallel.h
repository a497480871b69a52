/* The arguments and the answers of the functions parallel_squares and parallel_total. */
#ifndef PARALLEL_H
#define PARALLEL_H

#include <stdint.h>

typedef struct parallel_order {
    uint32_t threads;
    uint32_t count;
} parallel_order;

typedef struct parallel_answer {
    uint64_t total;   /* of the first `count` squares */
    uint32_t threads; /* that had a part in it */
} parallel_answer;

#endif
