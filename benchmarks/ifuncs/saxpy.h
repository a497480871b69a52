/* The payload of saxpy, and its data at the target. Shared by the ifunc, the same code compiled
 * for the machine that builds, and the measurement of both. */
#ifndef TC_SAXPY_H
#define TC_SAXPY_H

#include <stdint.h>

#define SAXPY_COUNT 512

/* The payload. */
typedef struct saxpy_request {
    uint64_t rounds;
    float factor;
    float unused[5]; /* x as aligned as any payload can be */
    float x[SAXPY_COUNT];
} saxpy_request;

/* Behind target_args. */
typedef struct saxpy_target {
    float y[SAXPY_COUNT];
    const saxpy_request *request; /* where it was */
} saxpy_target;

#endif
