/* Processes for parts of an experiment: what libraries it starts the caller does not have. */
#ifndef TC_PERF_PERF_PROCESS_H
#define TC_PERF_PERF_PROCESS_H

#include <stdbool.h>

/* Runs `part` in a process of its own, which ends when the caller does. Returns whether it
 * returned true. */
bool perf_process_run(bool (*part)(void *user), void *user);

#define PERF_PROCESSES_MAX 8u

/* The same of several parts at once; one that fails ends the others. The caller has no other
 * children. */
bool perf_process_run_all(bool (*const *parts)(void *user), unsigned count, void *user);

#endif
