/* What tc-perf --help prints. */
#ifndef TC_PERF_HELP_H
#define TC_PERF_HELP_H

#include "perf_options.h"

/* The experiments, and what all of them know: a screen. */
void perf_help_print(void);

/* The options of one experiment. */
void perf_help_print_experiment(perf_experiment experiment);

#endif
