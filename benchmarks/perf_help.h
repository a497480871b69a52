/* What tc-perf --help prints. */
#ifndef TC_PERF_HELP_H
#define TC_PERF_HELP_H

#include "perf_options.h"

/* The options of one experiment; NULL: the experiments, and what all of them know. */
void perf_help_print(const perf_experiment *experiment);

#endif
