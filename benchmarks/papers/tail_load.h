/* Other programs on the processors of a measurement: stress-ng(1), or processes of this program
 * that load a machine most. They are started once and stopped during quiet measurements, so
 * that quiet and loaded rounds can take turns. */
#ifndef TC_PERF_TAIL_LOAD_H
#define TC_PERF_TAIL_LOAD_H

#include <stdbool.h>
#include <sys/types.h>

#define TAIL_LOAD_PROCESSES 2u

typedef struct tail_load {
    const char *name; /* "none", "vm" or "cpu" */
    const char *by;   /* "none", "stress-ng" or "own" */
    pid_t pids[TAIL_LOAD_PROCESSES];
    unsigned count;
    bool is_group; /* one process with children, in a group of its own */
} tail_load;

/* Starts it, and stops it at once. `stressor` is "own", "stress-ng", or "auto": stress-ng where
 * there is one. cpus: of source and target, or -1. Not once the process has threads or has
 * opened UCX. False after a line on stderr; tail_load_end is owed in any case. */
bool tail_load_start(tail_load *load, const char *name, const char *stressor, const int *cpus);

/* Lets it run, or stops it. False after a line on stderr: it has ended by itself. */
bool tail_load_set(tail_load *load, bool runs);

/* Kills the started process, by its id, and waits for it. */
void tail_load_end(tail_load *load);

#endif
