/* Modes of the papers' experiments alone. */
#ifndef TC_PERF_PAPER_MODES_H
#define TC_PERF_PAPER_MODES_H

#include "perf_mode.h"

/* For tail: cached and inject, by a receiver that polls for each frame itself. */
extern const perf_mode perf_mode_placed_cached;
extern const perf_mode perf_mode_placed_inject;
/* For overhead: a single process, which calls the function. */
extern const perf_mode perf_mode_direct;

#endif
