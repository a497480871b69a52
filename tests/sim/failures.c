/* The scenarios, as rows. Their seeds draw the actions. Their worlds have no faults but the
 * call that fails. */
#include "failures.h"

#include <tc/sim.h>

#define ACTIONS 12u
#define WITH_UCX 3u /* the last scenarios */
#define F(name) ((uint64_t)1 << PLAN_##name)

typedef struct scenario {
    const char *name;
    uint64_t seed;
    unsigned nodes, hosts;
    uint64_t features;
} scenario;

static const scenario scenarios[] = {
    {"sends", 1, 2, 2, F(bursts) | F(flushes)},
    {"large", 2, 2, 2, F(large) | F(flushes) | F(partial)},
    {"calls", 3, 2, 2,
     F(flushes) | F(calls) | F(started) | F(prepares) | F(slow_code) | F(large)},
    {"parts", 4, 2, 2, F(parts) | F(large) | F(flushes)},
    {"shared", 5, 2, 1,
     F(flushes) | F(calls) | F(started) | F(closes) | F(slow_code) | F(large) | F(shared)},
    {"small rings", 6, 2, 1, F(shared) | F(small_rings) | F(large) | F(bursts)},
    {"prepares", 7, 2, 2, F(prepares) | F(slow_code) | F(evictions)},
    {"closes", 8, 2, 2, F(closes) | F(events) | F(bursts)},
    {"finishes", 9, 2, 2, F(finishes) | F(events) | F(large)},
    {"detached", 10, 2, 2, F(started) | F(detached) | F(flushes)},
    {"few functions", 11, 2, 2, F(few_functions) | F(bursts) | F(flushes)},
    {"quotas", 12, 2, 2, F(quotas) | F(bursts) | F(large)},
    {"served", 13, 2, 2, F(served) | F(calls) | F(bursts)},
    {"forwards", 14, 3, 3, F(forwards) | F(started)},
    {"members", 15, 3, 3, F(members) | F(barriers)},
    {"local", 16, 2, 2, F(local) | F(calls)},
    {"libraries", 17, 2, 2, F(libraries) | F(flushes)},
    {"injected", 18, 2, 2, F(injected) | F(flushes)},
    {"contexts", 22, 2, 2, F(contexts) | F(flushes)},
    {"keys", 23, 2, 2, F(keys) | F(closes) | F(flushes)},
    {"windows", 24, 2, 2, F(windows) | F(flushes)},
    {"tasks", 25, 2, 2, F(tasks) | F(windows) | F(calls)},
    {"messages", 19, 2, 2, F(ucx_am) | F(flushes) | F(bursts) | F(calls)},
    {"puts", 20, 2, 2, F(ucx_put) | F(flushes) | F(bursts) | F(calls)},
    {"puts within", 21, 2, 1, F(ucx_put) | F(flushes) | F(large)},
};

size_t failures_count(void)
{
    const size_t all = sizeof scenarios / sizeof scenarios[0];
    return tc_sim_has_ucx() ? all : all - WITH_UCX;
}

const char *failures_scenario(size_t index, uint64_t seed, plan *plan_out)
{
    const scenario *s = &scenarios[index];
    *plan_out = (plan){.seed = seed + s->seed,
                       .nodes = s->nodes,
                       .hosts = s->hosts,
                       .actions = ACTIONS,
                       .features = s->features};
    return s->name;
}
