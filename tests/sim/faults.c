/* Faults at times drawn from the world, and with steps also at a step of the victim. */
#include "faults.h"

#include "sim_step.h"

#include <tc/log.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define MS ((uint64_t)1000000)
#define FAULTS_END_NS (2000 * MS)
#define WORLD_END_NS (180000 * MS)
#define PAUSE_MAX (600 * MS)

typedef struct victim {
    traffic *all;
    traffic_node *nodes;
    unsigned number;
} victim;

/* --- faults of a node -------------------------------------------------------------------- */

static void pause_node(const victim *v)
{
    tc_sim_node *node = v->all->nodes[v->number];
    tc_sim_node_pause(node, tc_sim_random(tc_sim_node_world(node)) % PAUSE_MAX);
}

static void kill_node(const victim *v)
{
    tc_sim_node_kill(v->all->nodes[v->number]);
    v->all->busy[v->number] = v->all->busy[v->number + PLAN_NODES_MAX] = false;
}

static void restart_node(const victim *v)
{
    tc_error error;
    if (tc_sim_node_restart(v->all->nodes[v->number], &error) != TC_OK)
        return;
    v->nodes[v->number].program = NULL; /* that of its former life */
    v->all->lives[v->number]++;
    v->all->busy[v->number] = true;
}

/* --- steps ------------------------------------------------------------------------------- */

#ifdef TC_SIM_STEPS

static victim stopped; /* one at a time */
static uint64_t all_stops, all_delayed;

static void pause_stopped(void *user)
{
    (void)user;
    pause_node(&stopped);
}

static void kill_stopped(void *user)
{
    (void)user;
    kill_node(&stopped);
}

/* Has a node be paused or killed at a step, in half of the cases. */
static bool is_left_to_a_step(const victim *v, void (*fault)(void *user))
{
    tc_sim_node *node = v->all->nodes[v->number];
    if (!plan_has(v->all->plan, PLAN_steps) || tc_sim_random(tc_sim_node_world(node)) % 2 == 0)
        return false;
    stopped = *v;
    sim_step_stop_at(node, fault, NULL);
    return true;
}

bool faults_prepare(plan *first_out)
{
    const uint64_t disturbing = plan_bit(PLAN_kills) | plan_bit(PLAN_cuts) |
                                plan_bit(PLAN_pauses) | plan_without_steps();
    (void)clearenv();
    tc_log_set_level(TC_LOG_ERROR);
    *first_out = (plan){.seed = 3, .nodes = 2, .hosts = 1, .actions = 16};
    first_out->features = (plan_bit(PLAN_FEATURE_COUNT) - 1) & ~disturbing;
    return true;
}

/* Stops that are frequent are short. */
static sim_step_params params_of(const plan *p)
{
    static const sim_step_params kinds[] = {{.mean = 500, .longest_ns = MS / 20},
                                            {.mean = 2000, .longest_ns = MS / 2},
                                            {.mean = 10000, .longest_ns = 2 * MS},
                                            {.mean = 50000, .longest_ns = 10 * MS}};
    static const uint32_t dense[] = {2000, 10000, 50000};
    sim_random random;
    sim_random_seed(&random, p->seed ^ 0x6b696e64);
    sim_step_params params = kinds[sim_random_below(&random, sizeof kinds / sizeof kinds[0])];
    params.seed = p->seed;
    if (plan_has(p, PLAN_dense))
        params.dense_per_million =
            dense[sim_random_below(&random, sizeof dense / sizeof dense[0])];
    if (plan_has(p, PLAN_delayed))
        params.delayed_per_million = 100000;
    return params;
}

void faults_begin(tc_sim_world *world, const plan *p)
{
    const sim_step_params params = params_of(p);
    if (plan_has(p, PLAN_steps))
        sim_step_begin(world, &params);
}

void faults_end(void)
{
    uint64_t delayed;
    all_stops += sim_step_stops(&delayed);
    all_delayed += delayed;
    sim_step_end();
}

void faults_print(void)
{
    printf("%" PRIu64 " stops, %" PRIu64 " stores delayed\n", all_stops, all_delayed);
}

#else

static bool is_left_to_a_step(const victim *v, void (*fault)(void *user))
{
    (void)v, (void)fault;
    return false;
}

#define pause_stopped NULL
#define kill_stopped NULL

bool faults_prepare(plan *first_out)
{
    (void)first_out;
    return false;
}

void faults_begin(tc_sim_world *world, const plan *p)
{
    (void)world, (void)p;
}

void faults_end(void)
{
}

void faults_print(void)
{
}

#endif

/* --- a world's --------------------------------------------------------------------------- */

static void one_fault(tc_sim_world *world, traffic *all, traffic_node *nodes)
{
    const plan *p = all->plan;
    const victim v = {all, nodes, (unsigned)(tc_sim_random(world) % p->nodes)};
    const unsigned from = (unsigned)(tc_sim_random(world) % p->hosts);
    const unsigned to = (unsigned)(tc_sim_random(world) % p->hosts);
    const uint64_t kind = tc_sim_random(world) % 3;
    tc_error error;
    if (kind == 0 && plan_has(p, PLAN_pauses) && !is_left_to_a_step(&v, pause_stopped))
        pause_node(&v);
    if (kind == 1 && plan_has(p, PLAN_cuts) && from != to) {
        (void)!tc_sim_cut(world, from, to, true, &error);
        if (tc_sim_random(world) % 2 == 0)
            (void)!tc_sim_cut(world, to, from, true, &error);
    }
    if (kind == 2 && plan_has(p, PLAN_kills)) {
        const bool runs = tc_sim_node_is_running(all->nodes[v.number]);
        if (runs && !is_left_to_a_step(&v, kill_stopped))
            kill_node(&v);
        else if (!runs && plan_has(p, PLAN_restarts))
            restart_node(&v);
    }
}

/* Phase one: faults, at times drawn from the world. Phase two: no more, and everything ends. */
tc_status faults_run(tc_sim_world *world, traffic *all, traffic_node *nodes, tc_error *error)
{
    uint64_t at_ns = 0;
    for (unsigned i = 0; i < all->plan->faults; i++) {
        at_ns += tc_sim_random(world) % (FAULTS_END_NS / 4);
        tc_status status = tc_sim_run_until(world, at_ns, error);
        if (status != TC_E_TIMEOUT)
            return status;
        one_fault(world, all, nodes);
    }
    tc_sim_heal(world);
    return tc_sim_run_until(world, WORLD_END_NS, error);
}
