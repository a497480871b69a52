/* The reports of a series_run: figures over all of its rounds, and, where the processors moved,
 * over the near and over the far ones. */
#ifndef TC_PERF_SERIES_REPORT_H
#define TC_PERF_SERIES_REPORT_H

#include "series_run.h"

/* The rounds that a report is about; values: one per round, or run->buffer. */
perf_spread series_report_spread(const series_run *run, const double *values);
/* The largest of them. */
double series_report_max(const series_run *run, const double *values);
unsigned series_report_rounds(const series_run *run);

/* Adds latency_ns_p50, _p99 and _p999, medians of the rounds with their quartiles, and
 * latency_ns_max, of all of them. */
void series_report_latency(const series_run *run, unsigned index, json_t *row);

/* Returns whether nothing is printed: the JSON goes to standard output, or a later report has
 * the rounds apart. */
bool series_report_is_quiet(const series_run *run);

/* A figure as a table has it: `shown` with so many decimals, or "busy" where other programs
 * spoil it. */
typedef struct series_text {
    char text[24];
} series_text;
series_text series_report_figure(const series_run *run, interference_figure what,
                                 perf_spread spread, double shown, int decimals);

/* "near", "far", "shared" or "mixed", of the rounds of the report. */
const char *series_report_placement(const series_run *run);

/* The report of one point of the run: that of its kind, of all rounds and of those of each
 * placement. */
void series_report_point(series_run *run);

/* After all points: a line about the processors, a line when the machine was busy, and the
 * members placement, placements, busy and busy_reason. */
void series_report_machine(const series_run *run, json_t *report);

#endif
