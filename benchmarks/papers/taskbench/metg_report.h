/* The figures of a run, as a table and as JSON. */
#ifndef TC_METG_REPORT_H
#define TC_METG_REPORT_H

#include "metg_curve.h"
#include "metg_version.h"

#define METG_ROUNDS_MAX 200u
#define METG_POINTS_MAX 48u

typedef struct metg_options {
    uint64_t width;
    uint64_t bytes;
    uint64_t steps;
    uint64_t iterations;
    uint64_t rounds;
    const char *patterns; /* names with commas, as the next one */
    const char *versions;
    const char *json_path;
    bool unpinned;
} metg_options;

/* A version's runs of one pattern. */
typedef struct metg_series {
    bool is_run;
    bool is_wrong;                       /* of any run, at any rank */
    double *elapsed_ns[METG_POINTS_MAX]; /* of each round */
    metg_point least[METG_POINTS_MAX];   /* of the rounds, filled by the report */
    metg_point median[METG_POINTS_MAX];
} metg_series;

typedef struct metg_report {
    const metg_options *options;
    const metg_rank *rank;
    const char *kernel;                   /* which form of it */
    uint64_t iterations[METG_POINTS_MAX]; /* from large tasks to small ones */
    uint32_t steps[METG_POINTS_MAX];
    size_t point_count;
    double iteration_ns; /* of the kernel, the least of all rounds */
    double word_ns[METG_ROUNDS_MAX];
    char load_before[64], load_after[64];
    metg_series series[METG_PATTERNS][METG_VERSIONS];
} metg_report;

/* Prints the table, and writes the JSON if a file is named. False after a line on stderr. */
bool metg_report_write(metg_report *report);

/* Returns whether every task of every run had its inputs, and the sums are the expected
 * ones. */
bool metg_report_is_verified(const metg_report *report);

#endif
