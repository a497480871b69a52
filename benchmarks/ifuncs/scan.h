/* The work of a bandwidth measurement's function: it reads one word of each cache line, so that
 * every byte has to reach the processor that the function runs on. The same for shipped code
 * and for the handlers of the baselines. */
#ifndef TC_PERF_SCAN_H
#define TC_PERF_SCAN_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct scan_target {
    uint64_t counter;  /* payloads so far; shipped code and benchmarks begin with it */
    uint64_t checksum; /* keeps the compiler from leaving the reads out */
} scan_target;

static inline void scan_payload(scan_target *target, const void *payload, size_t size)
{
    const unsigned char *at = payload;
    uint64_t sums[4] = {0};
    size_t i = 0;
    for (; i + 256 <= size; i += 256) {
        for (size_t k = 0; k < 4; k++) {
            uint64_t word;
            memcpy(&word, at + i + 64 * k, sizeof word);
            sums[k] += word;
        }
    }
    for (; i < size; i++)
        sums[0] += at[i];
    target->checksum += sums[0] + sums[1] + sums[2] + sums[3];
    target->counter++;
}

#endif
