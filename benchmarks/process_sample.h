/* The resources of a process at a moment, as the kernel counts them: memory, descriptors and
 * segments of shared memory. */
#ifndef TC_PERF_PROCESS_SAMPLE_H
#define TC_PERF_PROCESS_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct process_sample {
    uint64_t rss_bytes;
    uint64_t descriptors;
    uint64_t segments; /* of shared memory: that it maps, or made and did not remove */
} process_sample;

/* Samples a process of this user; frees all its allocations. False: it is gone, or /proc is not
 * there. */
bool process_sample_take(pid_t pid, process_sample *sample_out);

/* Raises each figure of *most to that of the sample. */
void process_sample_raise(process_sample *most, const process_sample *sample);

#endif
