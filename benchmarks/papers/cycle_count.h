/* The resources of this thread: cycles and instructions as the processor counts them, where it
 * has counters and the kernel lets programs use them, and processor time in any case. */
#ifndef TC_PERF_CYCLE_COUNT_H
#define TC_PERF_CYCLE_COUNT_H

#include <stdbool.h>
#include <stdint.h>

typedef enum cycle_scope {
    CYCLES_NONE, /* `reason` has the reason */
    CYCLES_USER, /* the kernel counts for this user outside itself alone */
    CYCLES_ALL
} cycle_scope;

typedef struct cycle_counter {
    int cycles_fd; /* leads the group; -1: no counter */
    int instructions_fd;
    cycle_scope scope;
    char reason[128];
} cycle_counter;

typedef struct cycle_sample {
    uint64_t cycles; /* 0 with CYCLES_NONE */
    uint64_t instructions;
    uint64_t cpu_ns; /* user and kernel */
} cycle_sample;

/* Counts the calling thread, which alone may read it. Never fails. */
void cycle_counter_open(cycle_counter *counter);
void cycle_counter_close(cycle_counter *counter);

/* Since the thread began, for differences. */
cycle_sample cycle_counter_read(const cycle_counter *counter);

/* "user and kernel", "user", "none". */
const char *cycle_scope_text(cycle_scope scope);

#endif
