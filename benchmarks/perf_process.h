/* Processes for parts of an experiment: the caller does not get the libraries that they
 * start. */
#ifndef TC_PERF_PERF_PROCESS_H
#define TC_PERF_PERF_PROCESS_H

#include <stdbool.h>
#include <stddef.h>

/* Runs `part` in a process of its own, which ends when the caller does. Returns whether it
 * returned true. */
bool perf_process_run(bool (*part)(void *user), void *user);

#define PERF_PROCESSES_MAX 8u

/* The same of several parts at once; one that fails ends the others. The caller has no other
 * children. */
bool perf_process_run_all(bool (*const *parts)(void *user), unsigned count, void *user);

/* Zeroed memory that processes started later share with the caller, which unmaps it. NULL:
 * there is none, which is reported on stderr. */
void *perf_process_share(size_t bytes);

#endif
