#include "series_watch.h"

#include "perf_clock.h"
#include "word_trips.h"

#include <stdlib.h>
#include <string.h>

bool series_watch_allocate(series_watch *watch, unsigned rounds)
{
    watch->rounds = rounds;
    watch->placements = calloc(rounds, sizeof *watch->placements);
    watch->shares = calloc(rounds, sizeof *watch->shares);
    watch->buffer = calloc(rounds, sizeof *watch->buffer);
    watch->chosen = calloc(rounds, sizeof *watch->chosen);
    return watch->placements != NULL && watch->shares != NULL && watch->buffer != NULL &&
           watch->chosen != NULL;
}

void series_watch_free(series_watch *watch)
{
    free(watch->placements);
    free(watch->shares);
    free(watch->buffer);
    free(watch->chosen);
}

/* --- the word ---------------------------------------------------------------------------- */

static bool trade_words(perf_session *session, double *ns_out)
{
    perf_control *control = session->control;
    return word_trips_measure(&control->ping, &control->pong, 0, session->role == PERF_SOURCE,
                              PERF_SILENCE_NS, ns_out) ||
           perf_session_complain(session, "the other process has been silent for %d s",
                                 (int)(PERF_SILENCE_NS / PERF_NS_PER_S));
}

bool series_watch_answer(perf_session *session)
{
    double ns;
    session->control->ping = session->control->pong = 0;
    perf_session_set_ready(session);
    return trade_words(session, &ns);
}

bool series_watch_look(series_watch *watch, perf_session *session)
{
    return perf_session_await_ready(session) && trade_words(session, &watch->word_ns) &&
           perf_session_reply(session);
}

/* --- waiting ----------------------------------------------------------------------------- */

void series_watch_account(perf_session *session)
{
    __atomic_store_n(&session->control->target_waited_ns, interference_waited_ns(),
                     __ATOMIC_RELAXED); /* the answer of the step orders it */
}

series_moment series_watch_moment(const perf_session *session)
{
    return (series_moment){
        .at_ns = perf_now_ns(),
        .helpers_ns = session->helpers_waited_ns,
        .waited_ns = interference_waited_ns() +
                     __atomic_load_n(&session->control->target_waited_ns, __ATOMIC_RELAXED)};
}

void series_watch_begin(series_watch *watch, perf_session *session)
{
    watch->polled_ns = watch->waited_ns = 0;
    watch->stolen_ns = interference_stolen_ns(session->cpus);
    watch->began_ns = perf_now_ns();
}

void series_watch_polled(series_watch *watch, const perf_session *session, series_moment began,
                         bool by_helpers)
{
    const series_moment end = series_watch_moment(session);
    watch->polled_ns += end.at_ns - began.at_ns;
    watch->waited_ns +=
        by_helpers ? end.helpers_ns - began.helpers_ns : end.waited_ns - began.waited_ns;
}

/* Both processes have that time. */
static double share_of(uint64_t part_ns, uint64_t all_ns)
{
    return all_ns != 0 ? (double)part_ns / (2 * (double)all_ns) : 0;
}

void series_watch_end(series_watch *watch, perf_session *session, unsigned round,
                      double before_ns)
{
    const uint64_t stolen_ns = interference_stolen_ns(session->cpus) - watch->stolen_ns;
    watch->placements[round] = placement_of_round(before_ns, watch->word_ns);
    watch->shares[round] = share_of(watch->waited_ns, watch->polled_ns) +
                           share_of(stolen_ns, perf_now_ns() - watch->began_ns);
}

/* --- for reports ------------------------------------------------------------------------- */

/* Mixed when there are several. */
static placement_kind common_placement(const series_watch *watch)
{
    for (unsigned i = 1; i < watch->chosen_count; i++) {
        if (watch->placements[watch->chosen[i]] != watch->placements[watch->chosen[0]])
            return PLACEMENT_MIXED;
    }
    return watch->placements[watch->chosen[0]];
}

unsigned series_watch_choose(series_watch *watch, placement_kind of)
{
    watch->chosen_count = 0;
    for (unsigned round = 0; round < watch->rounds; round++) {
        if (of != PLACEMENT_COUNT && watch->placements[round] != of)
            continue;
        watch->buffer[watch->chosen_count] = watch->shares[round];
        watch->chosen[watch->chosen_count++] = round;
    }
    if (watch->chosen_count == 0)
        return 0;
    watch->share = perf_stats_median(watch->buffer, watch->chosen_count);
    watch->state = interference_of(watch->buffer, watch->chosen_count);
    watch->placement = common_placement(watch);
    return watch->chosen_count;
}

void series_watch_note(series_watch *watch)
{
    for (unsigned round = 0; round < watch->rounds; round++)
        watch->counts[watch->placements[round]]++;
    if (watch->share > watch->worst_share)
        watch->worst_share = watch->share;
}
