#include "perf_experiment.h"

#ifdef TC_PERF_PAPERS
#include "papers/paper_list.h"
#else
#define PAPER_EXPERIMENTS(row)
#endif

#include <string.h>

/* In the order of tc-perf --help. */
#define EXPERIMENTS(row)                                                                       \
    row(tsi) row(ssum) row(iput) row(call) row(integrity) row(wait) row(served) row(poll)      \
        row(tasks) row(view) row(first_call) row(flood) row(bandwidth) row(protection)         \
            row(usage) row(scrape)

#define DECLARE(name) extern const perf_experiment name##_experiment;
#define ADDRESS(name) &name##_experiment,

EXPERIMENTS(DECLARE)
PAPER_EXPERIMENTS(DECLARE)

const perf_experiment *const perf_experiments[] = {EXPERIMENTS(ADDRESS)
                                                       PAPER_EXPERIMENTS(ADDRESS) NULL};

const perf_experiment *perf_experiment_find(const char *name)
{
    const perf_experiment *const *at = perf_experiments;
    while (*at != NULL && strcmp((*at)->name, name) != 0)
        at++;
    return *at;
}
