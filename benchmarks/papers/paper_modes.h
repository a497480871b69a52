/* Modes of the papers' experiments alone. */
#ifndef TC_PERF_PAPER_MODES_H
#define TC_PERF_PAPER_MODES_H

#include "perf_mode.h"

/* Of tail: cached and inject, by a receiver that looks for each frame itself. */
extern const perf_mode perf_mode_placed_cached;
extern const perf_mode perf_mode_placed_inject;
/* Of overhead: no process but one: the function is called. */
extern const perf_mode perf_mode_direct;

#endif
