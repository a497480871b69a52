/* The figures of a run of EM3D, as a table and as JSON. */
#ifndef TC_EM3D_REPORT_H
#define TC_EM3D_REPORT_H

#include "em3d_version.h"

#define EM3D_ROUNDS_MAX 1000u

typedef struct em3d_options {
    uint64_t nodes;
    uint64_t degree;
    uint64_t remote_percent;
    uint64_t steps;
    uint64_t seed;
    uint64_t rounds;
    const char *versions; /* names with commas */
    const char *json_path;
} em3d_options;

/* The figures of one version. */
typedef struct em3d_result {
    bool chosen;
    bool skipped; /* windows are not mapped here */
    bool wrong;   /* in some round, the values of a rank differed from the serial run's */
    double ns[EM3D_ROUNDS_MAX]; /* per edge and step, in the order of the rounds */
} em3d_result;

typedef struct em3d_report {
    const em3d_options *options;
    const em3d_rank *rank;
    double word_ns[EM3D_ROUNDS_MAX];
    char load_before[64], load_after[64];
    em3d_result results[EM3D_VERSIONS];
} em3d_report;

/* The load of 1, 5 and 15 minutes, or "unknown". */
void em3d_report_load(char *text, size_t size);

/* Prints the table, and writes the JSON if a file is named. False after a line on stderr. */
bool em3d_report_write(const em3d_report *report);

/* Returns whether every version that ran had the serial run's values. */
bool em3d_report_is_verified(const em3d_report *report);

#endif
