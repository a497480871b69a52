/* The figures of the Three-Chains paper that this program measures too, to be printed next to
 * its own. */
#ifndef TC_PERF_PAPER_TABLES_H
#define TC_PERF_PAPER_TABLES_H

#include <jansson.h>

/* Tables I to III: the stages of TSI's first calls. */
void paper_tables_print_first_calls(void);

/* Tables IV to VI, TSI's latencies and rates, each row next to that of `rows` (what a run of
 * series reports) of the mode that corresponds to it. */
void paper_tables_print_rates(const json_t *rows);
/* The same figures: [{"table", "machine", "mode", "latency_ns", "rate_per_s"}]; the caller's.
 */
json_t *paper_tables_rates(void);

#endif
