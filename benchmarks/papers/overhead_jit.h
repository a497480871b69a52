/* The interface between the parts of the experiment on overheads. */
#ifndef TC_PERF_OVERHEAD_JIT_H
#define TC_PERF_OVERHEAD_JIT_H

#include "perf_options.h"

#include <stdbool.h>

/* The time to make the smallest function callable, once; ns, medians of first calls. */
typedef struct overhead_jit {
    double compile_ns; /* bitcode, by a process that is ready to: from parsing to linking */
    double image_ns;   /* a native image */
} overhead_jit;

/* Forks pairs of processes, so before any library is started here. False after a complaint. */
bool overhead_jit_measure(const perf_options *options, overhead_jit *out);

/* Figures of one mode; us, as in the paper. A value below 0 was not measured. */
typedef struct overhead_figures {
    const char *mode;
    double lookup_exec_us;
    double jit_us;
    double transmission_us;
    double total_us;
} overhead_figures;

#endif
