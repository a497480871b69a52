/* The data of the function overhead at its target. */
#ifndef TC_PERF_OVERHEAD_H
#define TC_PERF_OVERHEAD_H

#include <stdint.h>

typedef struct overhead_target {
    uint64_t calls;
    const void *payload; /* of the newest: where messages arrive */
} overhead_target;

#endif
