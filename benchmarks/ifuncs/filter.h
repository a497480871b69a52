/* The message of `filter` and of `filter_whole`. */
#ifndef TC_PERF_FILTER_H
#define TC_PERF_FILTER_H

#include <stdint.h>

#define FILTER_ROWS 8

typedef struct filter_request {
    uint64_t threshold; /* for the function without a hole */
    uint64_t rows[FILTER_ROWS];
} filter_request;

static inline uint64_t filter_count(const filter_request *request, uint64_t threshold)
{
    uint64_t count = 0;
    for (int i = 0; i < FILTER_ROWS; i++)
        count += request->rows[i] > threshold;
    return count;
}

#endif
