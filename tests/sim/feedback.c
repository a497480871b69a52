/* Kept plans, of which the newest replace the oldest. */
#include "feedback.h"

#include "sim_random.h"

#define KEPT_MAX 256u

static plan kept[KEPT_MAX];
static size_t kept_count; /* ever */

/* Switches one or two features, or changes another member. The seed is a new one always. */
static plan near(const plan *from, sim_random *random, uint64_t seed)
{
    const plan own = plan_of(seed);
    plan p = *from;
    p.seed = seed;
    for (uint64_t changes = sim_random_below(random, 3); changes > 0; changes--) {
        const uint64_t feature = sim_random_below(random, PLAN_FEATURE_COUNT + 3);
        if (feature < PLAN_FEATURE_COUNT)
            p.features ^= (uint64_t)1 << feature;
        else if (feature == PLAN_FEATURE_COUNT)
            p.actions = own.actions;
        else if (feature == PLAN_FEATURE_COUNT + 1)
            p.faults = own.faults;
        else {
            p.nodes = own.nodes;
            p.hosts = own.hosts;
        }
    }
    return p;
}

plan feedback_plan(uint64_t seed)
{
    sim_random random;
    sim_random_seed(&random, seed ^ 0x6b657074);
    const size_t count = kept_count < KEPT_MAX ? kept_count : KEPT_MAX;
    if (count == 0 || sim_random_below(&random, 2) == 0)
        return plan_of(seed);
    return near(&kept[sim_random_below(&random, count)], &random, seed);
}

void feedback_note(const plan *p, size_t states)
{
    if (states > 0)
        kept[kept_count++ % KEPT_MAX] = *p;
}
