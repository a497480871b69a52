/* The figures of a run of an application of the paper on MRPC, as a table and as JSON. */
#ifndef TC_MRPC_REPORT_H
#define TC_MRPC_REPORT_H

#include "mrpc_rpc.h"

#include <jansson.h>

#define MRPC_ROUNDS_MAX 1000u
#define MRPC_VERSIONS_MAX 24u
#define MRPC_STAMPED_MAX 100u

typedef enum mrpc_way {
    MRPC_WINDOW,   /* one-sided operations, served by the owner's progress: <tc/window.h> */
    MRPC_VIEW,     /* the same by instructions: <tc/window_view.h> */
    MRPC_FUNCTION, /* functions that are sent */
    MRPC_RPC,      /* ONC RPC */
    MRPC_WAYS
} mrpc_way;

/* One version of an application. In the order of the table they take turns, so those that are
 * compared stand near each other. */
typedef struct mrpc_version {
    const char *name; /* WAY-METHOD */
    mrpc_way way;
    const char *method;
    const char *function; /* the version with functions that it is compared with; or NULL */
    double most;          /* asked of the function's time to this one's, at most; 0: nothing */
} mrpc_version;

/* The options of all applications. */
typedef struct mrpc_options {
    uint64_t steps;
    uint64_t rounds;
    uint64_t stamped; /* rounds after the others, with stamps */
    uint64_t seed;
    const char *versions; /* names with commas */
    const char *json_path;
} mrpc_options;

/* An application. Its state begins with an mrpc_rank. */
typedef struct mrpc_app {
    const char *name;
    const char *unit; /* of the figures: "ns_per_edge" */
    size_t state_bytes;
    const mrpc_version *versions;
    unsigned version_count;
    /* Collective; the state is zeroed but for its rank. False after a line on stderr;
     * `destroy` is owed all the same. */
    bool (*create)(void *state, const void *options);
    void (*destroy)(void *state);
    void (*reset)(void *state); /* the values before the first step, and no result anywhere */
    /* Serves ONC RPC, with bodies of up to so many bytes; or NULL. */
    mrpc_rpc_server serve;
    size_t (*body_max)(const void *state);
    bool (*run)(void *state, unsigned version); /* all steps; false after a line on stderr */
    bool (*is_right)(const void *state);        /* this rank's results are the serial run's */
    double (*units)(const void *state);         /* a run's nanoseconds are divided by them */
    /* Prints a line on the problem, and adds fields to the JSON, which may be NULL. */
    void (*describe)(const void *state, json_t *json);
} mrpc_app;

/* One run with stamps: means over ranks. */
typedef struct mrpc_stamped {
    double parts[MRPC_PARTS]; /* in the application's unit */
    double stamps;            /* of one rank */
} mrpc_stamped;

/* The figures of one version. */
typedef struct mrpc_result {
    bool chosen;
    const char *skipped; /* the reason why it was not run, or NULL */
    bool wrong; /* in some round, the results of a rank differed from the serial run's */
    double figures[MRPC_ROUNDS_MAX]; /* in the application's unit, by round */
    mrpc_stamped stamped[MRPC_STAMPED_MAX];
} mrpc_result;

typedef struct mrpc_report {
    const mrpc_app *app;
    const mrpc_options *options;
    const mrpc_rank *rank; /* the application's state */
    double word_ns[MRPC_ROUNDS_MAX];
    double stamp_cost; /* of one stamp, in the application's unit */
    char load_before[64], load_after[64];
    mrpc_result results[MRPC_VERSIONS_MAX];
} mrpc_report;

/* Prints the table, and writes the JSON if a file is named. False after a line on stderr. */
bool mrpc_report_write(const mrpc_report *report);

/* Returns whether every version that ran had the serial run's results. */
bool mrpc_report_is_verified(const mrpc_report *report);

#endif
