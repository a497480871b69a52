/* Common parts of the experiment on libraries that travel: the measurements, and the storage of
 * figures. */
#ifndef TC_PERF_LIBRARY_PERF_H
#define TC_PERF_LIBRARY_PERF_H

#include "perf_options.h"

#include <tc/library.h>
#include <tc/load.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define LIBRARY_ARCHIVE_MAX (1u << 18)

/* --- pushes ------------------------------------------------------------------------------- */

/* Calls of a warm process: the first few are for warming it. */
#define PUSHES_WARMING 3u
#define PUSHES_MEASURED 5u
#define PUSHES_MAX (PUSHES_WARMING + PUSHES_MEASURED)
#define PUSH_PATHS 3u

enum { PUSH_CALL, PUSH_FIRST_CALL, PUSH_TOTAL, PUSH_STAGES };

typedef struct library_path {
    const char *name;
    const char *suffix; /* of the archives, behind their names */
    const char *form;   /* options of the library */
    const char *tier;
    tc_load_path taken; /* by the function */
    bool stored;        /* by an earlier process */
    double goal_us;     /* of the total; 0: no stage */
} library_path;

extern const library_path library_paths[PUSH_PATHS];

typedef struct library_push_sample {
    uint64_t ns[PUSH_STAGES];
} library_push_sample;

/* --- calls -------------------------------------------------------------------------------- */

enum { CALLS_TRAVELLING, CALLS_HOST, CALLS_WAYS };

typedef struct library_call_sample {
    double p50_ns;
    double p99_ns;
    double p999_ns;
    double max_ns;
    double rate_per_s;
} library_call_sample;

/* --- upgrades under load ------------------------------------------------------------------ */

#define UPGRADES 100u
#define UPGRADE_CALLS_MAX (1u << 21)

enum { UPGRADE_QUIET, UPGRADE_BUSY, UPGRADE_TURNS };

/* --- all ---------------------------------------------------------------------------------- */

#define LIBRARY_ROUNDS_MAX 1000u

/* Memory of all processes. */
typedef struct library_board {
    _Alignas(64) _Atomic uint64_t counter;               /* of calls without other receivers */
    _Alignas(64) library_push_sample pushes[PUSHES_MAX]; /* of one pair of processes */
    _Atomic uint32_t strayed; /* of them: functions that did not take the path's way */
    library_call_sample calls[CALLS_WAYS][LIBRARY_ROUNDS_MAX];
    _Alignas(64) _Atomic uint32_t turn;
    _Atomic uint32_t port;
    _Atomic uint32_t upgrades;
    _Atomic uint32_t upgrades_wanted; /* until now */
    uint64_t upgrade_calls[UPGRADE_TURNS];
    uint64_t upgrade_lost[UPGRADE_TURNS]; /* calls that no library has counted */
    uint64_t upgrade_ns[UPGRADE_TURNS][UPGRADE_CALLS_MAX];
} library_board;

#define PUSH_SAMPLES_MAX (PUSHES_MEASURED * LIBRARY_ROUNDS_MAX)

typedef struct library_run {
    const perf_options *options;
    library_board *board;
    uint64_t push_count[PUSH_PATHS];
    uint64_t push_ns[PUSH_PATHS][PUSH_STAGES][PUSH_SAMPLES_MAX];
    const char *cache_dir; /* empty: no error */
} library_run;

/* Each forks its processes, so that no library of the caller's is ever started, and returns
 * when they are gone. False after a complaint. */
bool library_push_run(library_run *run, const library_path *path);
bool library_messages_run(library_run *run);
/* Counts lost messages; the report compares it with 0. */
bool library_upgrades_run(library_run *run);

/* An archive with a list of libraries: `deps`, and a comment with the number, which makes the
 * same code another content. */
tc_status library_open_new(tc_context *context, const void *archive, size_t size,
                           unsigned number, tc_library **library_out, tc_error *err);
tc_status library_open_user(tc_context *context, const void *archive, size_t size,
                            const char *deps, unsigned number, tc_ifunc **fn_out,
                            tc_error *err);

/* Sorts the measurements. The library's engine may start: after the last fork. */
bool library_report(library_run *run);

#endif
