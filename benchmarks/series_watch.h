/* The machine during the rounds of a run: where its processors lie, and how long both processes
 * waited for them. */
#ifndef TC_PERF_SERIES_WATCH_H
#define TC_PERF_SERIES_WATCH_H

#include "interference.h"
#include "perf_session.h"
#include "placement.h"

#include <stdbool.h>
#include <stdint.h>

/* One value per round. */
typedef struct series_watch {
    unsigned rounds;
    placement_kind *placements;
    double *shares; /* of the time: waited for a processor; 1: all of it */
    double *buffer;
    double word_ns; /* the newest */
    /* The present round. */
    uint64_t began_ns, stolen_ns;
    uint64_t polled_ns, waited_ns;
    /* The rounds of the present report, in their order, and common figures. */
    unsigned *chosen;
    unsigned chosen_count;
    placement_kind placement;
    interference_level state;
    double share;
    /* In all reports so far. */
    unsigned counts[PLACEMENT_COUNT];
    double worst_share;
} series_watch;

/* False: out of memory. series_watch_free is owed in any case. */
bool series_watch_allocate(series_watch *watch, unsigned rounds);
void series_watch_free(series_watch *watch);

/* The target's part of a look, and its account at the end of every step. */
bool series_watch_answer(perf_session *session);
void series_watch_account(perf_session *session);

/* Source: a look at the word. The target is in series_watch_answer. False after a complaint. */
bool series_watch_look(series_watch *watch, perf_session *session);

/* Source: around every round, and around each measurement of a mode that polls. */
void series_watch_begin(series_watch *watch, perf_session *session);
typedef struct series_moment {
    uint64_t at_ns;
    uint64_t waited_ns;  /* source and target */
    uint64_t helpers_ns; /* likewise, of processes that a mode has started */
} series_moment;
series_moment series_watch_moment(const perf_session *session);
/* by_helpers: they were measured; source and target, which have slept, may have waited for
 * them. */
void series_watch_polled(series_watch *watch, const perf_session *session, series_moment began,
                         bool by_helpers);
/* before_ns: the word in front of the round; the newest one is behind it. */
void series_watch_end(series_watch *watch, perf_session *session, unsigned round,
                      double before_ns);

/* Chooses the rounds of that placement for reports; PLACEMENT_COUNT: all. Returns their
 * number. */
unsigned series_watch_choose(series_watch *watch, placement_kind of);

/* Counts the rounds and notes their state, once for each point. All are chosen. */
void series_watch_note(series_watch *watch);

#endif
