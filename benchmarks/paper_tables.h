/* The figures of the Three-Chains paper that this program measures too, to be printed next to
 * its own. */
#ifndef TC_PERF_PAPER_TABLES_H
#define TC_PERF_PAPER_TABLES_H

#include <stddef.h>

/* A row of Tables IV to VI: TSI by one way on one machine. */
typedef struct paper_rate {
    const char *table;
    const char *machine;
    const char *way;  /* as the paper calls it */
    const char *mode; /* the mode of `tc-perf tsi` that it is to be compared with */
    double latency_us;
    double rate_per_s;
} paper_rate;

extern const paper_rate paper_rates[];
extern const size_t paper_rate_count;

/* Tables I to III. */
void paper_print_first_calls(void);

#endif
