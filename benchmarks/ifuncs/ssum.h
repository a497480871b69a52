/* The data of Server-Side Sum at the target. Shared by the ifunc and its checks. */
#ifndef TC_SSUM_H
#define TC_SSUM_H

#include <stdint.h>

#define SSUM_SPOTS 256u

/* Behind target_args. */
typedef struct ssum_target {
    uint64_t calls;
    const void *payload;       /* of the newest message: where it lay */
    uint64_t total;            /* of all sums, modulo 2^64 */
    uint64_t sums[SSUM_SPOTS]; /* each sum goes to the next spot; after the last, the first */
} ssum_target;

#endif
