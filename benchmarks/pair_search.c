#include "pair_search.h"

#include "perf_session.h"
#include "placement.h"
#include "series_watch.h"

#include <sched.h>
#include <stdbool.h>
#include <string.h>

enum { ACTION_TRY = 1 };

static bool try_cpu(void *experiment, const perf_command *command)
{
    perf_session *session = experiment;
    const int cpus[2] = {session->cpus[0], (int)command->series};
    return perf_session_pin(session, cpus) && series_watch_answer(session);
}

static bool serve(perf_session *session, void *experiment)
{
    (void)experiment;
    return perf_session_serve(session, try_cpu, session);
}

/* The first processor, and at most so many others. */
static unsigned choose_candidates(const cpu_set_t *allowed, int *first,
                                  placement_pair pairs[PAIR_SEARCH_MAX])
{
    const unsigned others = (unsigned)CPU_COUNT(allowed) - 1;
    const unsigned step = (others + PAIR_SEARCH_MAX - 1) / PAIR_SEARCH_MAX;
    unsigned seen = 0, count = 0;
    for (unsigned cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (!CPU_ISSET(cpu, allowed))
            continue;
        if (seen == 0)
            *first = (int)cpu;
        else if ((seen - 1) % step == 0)
            pairs[count++].cpu = (int)cpu;
        seen++;
    }
    return count;
}

static bool measure_all(perf_session *session, placement_pair *pairs, unsigned count)
{
    series_watch watch;
    for (unsigned i = 0; i < count; i++) {
        if (!perf_session_command(session, ACTION_TRY, (uint32_t)pairs[i].cpu, 0) ||
            !series_watch_look(&watch, session))
            return false;
        pairs[i].word_ns = watch.word_ns;
    }
    return true;
}

unsigned pair_search_find(int pairs[2][2])
{
    cpu_set_t allowed;
    perf_session session;
    placement_pair found[PAIR_SEARCH_MAX] = {{0}};
    int cpus[2] = {-1, -1};
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0 || CPU_COUNT(&allowed) < 3)
        return 0;
    unsigned count = choose_candidates(&allowed, &cpus[0], found);
    const bool is_measured =
        perf_session_start(&session, cpus, serve, NULL) && measure_all(&session, found, count);
    (void)perf_session_end(&session);
    (void)sched_setaffinity(0, sizeof allowed, &allowed);
    count = is_measured ? placement_choose(found, count) : 0;
    for (unsigned i = 0; i < count; i++) {
        pairs[i][0] = cpus[0];
        pairs[i][1] = found[i].cpu;
    }
    return count;
}
