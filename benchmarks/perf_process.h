/* A process for a part of an experiment: what libraries it starts the caller does not have. */
#ifndef TC_PERF_PERF_PROCESS_H
#define TC_PERF_PERF_PROCESS_H

#include <stdbool.h>

/* Runs `part` in a process of its own, which ends when the caller does. Returns whether it
 * returned true. */
bool perf_process_run(bool (*part)(void *user), void *user);

#endif
