/* The arguments and the answer of the function parallel_sum. */
#ifndef PARALLEL_SUM_H
#define PARALLEL_SUM_H

#include <stdint.h>

#define PARALLEL_SUM_THREADS_MAX 256u

typedef struct parallel_sum_order {
    uint64_t terms;
    uint32_t threads; /* 0: as many as OpenMP takes at that node */
    uint32_t unused;
} parallel_sum_order;

typedef struct parallel_sum_answer {
    double sum; /* of 1 / i^2 for i from 1 to `terms`: pi^2 / 6 in the end */
    uint64_t elapsed_ns;
    uint32_t threads; /* that there were */
    uint32_t unused;
} parallel_sum_answer;

#endif
