/* Draws plans from seeds. */
#include "plan.h"

#include "sim_random.h"

#include <tc/sim.h>

#include <inttypes.h>
#include <stdio.h>

static const char *const names[] = {
#define PLAN_NAME(name, effect) #name,
    PLAN_FEATURES(PLAN_NAME)
#undef PLAN_NAME
};

const char *plan_feature_name(plan_feature feature)
{
    return names[feature];
}

/* Independent of the world's numbers, so that a change of the plan changes nothing else. */
plan plan_of(uint64_t seed)
{
    sim_random random;
    sim_random_seed(&random, seed ^ 0x706c616e);
    plan p = {.seed = seed};
    p.nodes = 2 + (unsigned)sim_random_below(&random, PLAN_NODES_MAX - 1);
    p.hosts = 1 + (unsigned)sim_random_below(&random, p.nodes);
    p.actions = 4u << sim_random_below(&random, 6);
    p.faults = (unsigned)sim_random_below(&random, 8);
    p.features = sim_random_next(&random) & (plan_bit(PLAN_FEATURE_COUNT) - 1);
    if (sim_random_below(&random, 3) == 0) /* no node dies, and all stay reachable */
        p.features &= ~(plan_bit(PLAN_kills) | plan_bit(PLAN_cuts));
    const bool has_ucx = sim_random_below(&random, 2) == 0; /* half of them are as without */
    if (!has_ucx || !tc_sim_has_ucx())
        p.features &= ~(plan_bit(PLAN_ucx_am) | plan_bit(PLAN_ucx_put));
    if (plan_has_ucx(&p))
        p.features &= ~plan_alone();
#ifdef TC_SIM_STEPS
    p.features &= ~plan_without_steps();
    p.features |= plan_bit(PLAN_steps);
    if (sim_random_below(&random, 2) == 0) /* where nodes meet in memory */
        p.features |= plan_bit(PLAN_shared);
    if (sim_random_below(&random, 2) == 0)
        p.hosts = 1;
#endif
    return p;
}

const char *plan_delivery(const plan *p)
{
    const bool am = plan_has(p, PLAN_ucx_am), put = plan_has(p, PLAN_ucx_put);
    if (am != put)
        return am ? "am" : "put";
    return am || plan_has(p, PLAN_shared) ? "auto" : "stream";
}

void plan_print(const plan *p)
{
    char seed[TC_SIM_SEED_BYTES];
    printf("--seed %s --nodes %u --hosts %u --actions %u --faults %u --with ",
           tc_sim_seed_text(p->seed, seed), p->nodes, p->hosts, p->actions, p->faults);
    const char *separator = "";
    for (unsigned i = 0; i < PLAN_FEATURE_COUNT; i++) {
        if (plan_has(p, i)) {
            printf("%s%s", separator, names[i]);
            separator = ",";
        }
    }
    printf("%s", separator[0] == '\0' ? "none" : "");
    if (p->fail_at != 0)
        printf(" --fail-at %" PRIu64, p->fail_at);
}
