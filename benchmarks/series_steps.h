/* The steps of a run that both processes do at once: the source's calls, and the target's loop
 * over them. */
#ifndef TC_PERF_SERIES_STEPS_H
#define TC_PERF_SERIES_STEPS_H

#include "series_run.h"

enum {
    SERIES_STEP_PAYLOAD = 1,
    SERIES_STEP_OPEN,
    SERIES_STEP_LATENCY,
    SERIES_STEP_RATE,
    SERIES_STEP_CLOSE,
    SERIES_STEP_WORD,
    SERIES_STEP_MOVE
};

/* A perf_serve, of a series_run. */
bool series_steps_serve(perf_session *session, void *experiment);

/* At the source; false after a complaint. The next payload, or number of calls. */
bool series_steps_point(series_run *run, uint64_t value);
bool series_steps_open(series_run *run);
bool series_steps_close(series_run *run);
/* A look at the word, where the kind is watched. */
bool series_steps_look(series_run *run);
/* Both processes to that pair of processors, where there are some; all is closed. */
bool series_steps_move(series_run *run, unsigned pair);

#endif
