/* Common parts of the experiment on first calls: functions, ways to become callable, and the
 * figures of each call. */
#ifndef TC_PERF_FIRST_CALL_H
#define TC_PERF_FIRST_CALL_H

#include "perf_options.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tc/load.h>

/* Calls of a warm process: the first few are for warming it. */
#define CALLS_WARMING 3u
#define CALLS_MEASURED 5u
#define CALLS_MAX (CALLS_WARMING + CALLS_MEASURED)

/* The library's own stages, and these. */
enum { CALL_TRANSMISSION = TC_STAGE_COUNT, CALL_TOTAL, CALL_STAGES };

typedef struct call_function {
    const char *name;
    size_t payload_size;
    void (*fill)(void *payload); /* of a first call */
} call_function;

typedef struct call_path {
    const char *name;
    const char *file; /* of the archive, behind the function's name */
    const char *form; /* options of the library */
    const char *tier;
    tc_load_path taken;
    bool stored;     /* by an earlier process */
    bool sent_ahead; /* by tc_ep_prepare */
    bool first_only; /* the first call of a process */
} call_path;

#define CALL_PAYLOAD_MAX 4096u

extern const call_function first_call_functions[];
extern const size_t first_call_function_count;
extern const call_path first_call_paths[];
extern const size_t first_call_path_count;

typedef struct call_sample {
    uint64_t sent_ns;
    uint64_t ns[CALL_STAGES];
} call_sample;

/* Memory of all processes. */
typedef struct call_board {
    _Atomic uint32_t notes; /* 1: the target notes what is reported */
    _Atomic uint32_t seen;  /* first calls that the target has reported */
    _Atomic uint32_t better;
    _Atomic uint32_t strayed; /* calls that did not take the path's way */
    call_sample samples[CALLS_MAX];
    uint64_t shipped_ns; /* of the vector loop: one turn of each kind, medians */
    uint64_t native_ns;
} call_board;

/* One pair of processes. */
typedef struct call_plan {
    const perf_options *options;
    const call_function *function;
    const call_path *path;
    unsigned calls;
    const char *cache_dir; /* empty: no error */
    call_board *board;
} call_plan;

/* Each forks a pair of processes, so that no library of the caller's is ever started, and
 * returns when both are gone. False after a complaint. */
bool first_call_pair_run(const call_plan *plan);
/* The vector loop when it got better, against the same compiled for this machine. */
bool first_call_loop_run(const call_plan *plan);

/* Runs `source` in a process of its own; it ends when the caller does. Returns whether it
 * returned true. */
bool first_call_pair_in_process(bool (*source)(const call_plan *plan), const call_plan *plan);

/* The results of the experiment, and their report. */
#define CALL_SAMPLES_MAX 512u
#define CALL_FUNCTIONS_MAX 3u
#define CALL_PATHS_MAX 7u

/* All calls of one function by one way. */
typedef struct call_series {
    uint64_t count;
    uint64_t ns[CALL_STAGES][CALL_SAMPLES_MAX];
    uint64_t to_llvm_ppm[CALL_SAMPLES_MAX]; /* 0: the call took no compiler */
} call_series;

typedef struct first_call_run {
    const perf_options *options;
    call_board *board;
    call_series series[CALL_FUNCTIONS_MAX][CALL_PATHS_MAX];
    uint64_t shipped_ns; /* of the vector loop; 0: not measured */
    uint64_t native_ns;
} first_call_run;

call_series *first_call_report_series(first_call_run *run, const call_function *function,
                                      const call_path *path);
void first_call_report_add(call_series *series, const call_sample *sample);

/* Sorts the series. The library's engine may start: after the last fork. */
bool first_call_report(first_call_run *run);

#endif
