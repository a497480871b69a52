/* The figures of the Three-Chains paper that this program measures too, to be printed next to
 * its own. */
#ifndef TC_PERF_PAPER_TABLES_H
#define TC_PERF_PAPER_TABLES_H

#include "overhead_jit.h"

#include <jansson.h>

/* Tables I to III, the stages of TSI's calls, with a column for this run, and whether the
 * stages add up to the total (equations 1 to 3). */
void paper_tables_print_overheads(const overhead_figures *here, size_t count);
/* [{"table", "machine", "mode", "lookup_exec_ns", "transmission_ns", "total_ns", "jit_ns"}];
 * the last where it has one. The caller's. */
json_t *paper_tables_overheads(void);

/* Tables IV to VI, TSI's latencies and rates, each row next to that of `rows` (the report of a
 * run of series) of the mode that corresponds to it; then their speed-ups, next to those of
 * `ratios`. */
void paper_tables_print_rates(const json_t *rows, const json_t *ratios);
/* The same figures: [{"table", "machine", "mode", "latency_ns", "rate_per_s"}]; the caller's.
 */
json_t *paper_tables_rates(void);

#endif
