/* The table of tc-perf's options. */
#ifndef TC_PERF_OPTION_ROWS_H
#define TC_PERF_OPTION_ROWS_H

#include "perf_options.h"

typedef enum perf_option_type {
    PERF_FLAG,     /* bool; has no value */
    PERF_COUNT,    /* uint64_t, "64K" */
    PERF_UNSIGNED, /* the same in an unsigned */
    PERF_RANGE,    /* perf_range, "1..2048" */
    PERF_LIST,     /* perf_list, "1,8,4K" */
    PERF_POWERS,   /* perf_list, "1..64K" */
    PERF_EVEN,     /* the same of even numbers */
    PERF_NUMBERS,  /* perf_list, "1,4,8" or "1..8" */
    PERF_TEXT,     /* const char *, not empty */
    PERF_CHOICE,   /* const char *, one of `names` */
    PERF_NAMES,    /* const char *, a comma list of some of `names` */
    PERF_OTHER     /* `set` alone */
} perf_option_type;

typedef struct perf_option_row {
    const char *name;
    char letter;
    const char *value; /* how help calls its value; NULL for a flag */
    const char *json;  /* its name in the report; NULL: not there */
    perf_option_type type;
    size_t offset; /* in perf_options */
    /* Limits of numbers. Where max is 0, the experiment has them. */
    uint64_t min;
    uint64_t max;
    const char *names; /* comma list */
    /* Further steps after the type's; called after it. May be NULL, but for PERF_OTHER. */
    bool (*set)(perf_options *options, const char *text);
    const char *help;
} perf_option_row;

extern const perf_option_row perf_option_rows[];
extern const size_t perf_option_count;

/* Returns whether all experiments take the option; whether this one does. */
bool perf_option_rows_common(const perf_option_row *row);
bool perf_option_rows_taken(const perf_option_row *row, const perf_experiment *experiment);

/* False: the text is not of the option's form, or beyond its limits. */
bool perf_option_rows_set(const perf_option_row *row, perf_options *options, const char *text);

#endif
