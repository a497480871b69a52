/* Results as JSON, and the common parts of every result: the machine, the versions, the
 * options. */
#ifndef TC_PERF_REPORT_H
#define TC_PERF_REPORT_H

#include "perf_options.h"
#include "perf_stats.h"

#include <jansson.h>

/* The version of the JSON; changes when programs that read it must know. */
#define PERF_REPORT_FORMAT 1

/* {"program", "format", "experiment", "env", "rows": [], "ratios": {}}; the caller owns it.
 * NULL when out of memory. Loads the code engine and records its version: not before the
 * fork. */
json_t *perf_report_create(const perf_options *options);

/* Rounded, so that a file holds no digits that mean nothing. */
json_t *perf_report_number(double value);

/* Adds to a row the median, times `scale`, by that name, and "NAME_quartiles": [quarter, three
 * quarters]. */
void perf_report_spread(json_t *row, const char *name, perf_spread spread, double scale);

/* Adds to a row NAME_p50, NAME_p99, NAME_p999 and NAME_max, times `scale`. */
void perf_report_tail(json_t *row, const char *name, const perf_tail *tail, double scale);

/* Writes to options->json_path when there is one, and takes the report over. False after a line
 * on stderr. */
bool perf_report_write(const perf_options *options, json_t *report);

/* A table for people goes to stdout unless the JSON does. */
bool perf_report_is_quiet(const perf_options *options);

/* A line on stderr that the next one replaces; nothing when stderr is no terminal. NULL ends
 * it. */
__attribute__((format(printf, 1, 2))) void perf_report_progress(const char *format, ...);

#endif
