/* sim-explore: runs worlds from seeds, checks them, and makes a failing one small.
 *
 *   sim-explore --seconds 60            new seeds, for so long by the processor's time
 *   sim-explore --seed 7 --worlds 100   seeds 7 to 106
 *   sim-explore --seed 1 --events 1e7   seeds from 1, until so many events have run
 *   sim-explore --seed 7 --trace        one world, with its events, for scripts/sim-chart.py
 *   sim-explore --seed 7 --gdb          under gdb, which stops where the world fails
 *   sim-explore --states                also counts the states of the models that were reached
 *   sim-explore --feedback              plans near those that reached new ones
 *   sim-explore --seed 7 --each-failure one world again and again; the n-th call that may fail
 *                                       does, for each n
 *   sim-explore --failures              the same for each scenario of failures.c; --seed 100:
 *                                       of other seeds
 *   sim-explore --today --worlds 500    seeds that each day (UTC) has for itself
 *   sim-explore --also calls,large      with these kinds in all worlds; --without: in none
 */
#include "arguments.h"
#include "failures.h"
#include "faults.h"
#include "flows.h"
#include "feedback.h"
#include "keys.h"
#include "old/old_peer.h"
#include "panes.h"
#include "plan.h"
#include "states.h"
#include "traffic.h"
#include "versions.h"

#include <tc/log.h>

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MS ((uint64_t)1000000)
#define SECONDS_A_DAY 86400u
#define DAY_SHIFT 20 /* a day has so many seeds, as a power of two */

typedef struct result {
    char error[640];
    uint64_t events, hash, messages, failable;
    size_t left_bytes;
} result;

static bool tracing, counts_states;
static traffic all_nodes;
static traffic_node nodes[PLAN_NODES_MAX];

static uint64_t seed_now, events_before;

/* An assertion or a crash: says in which world, and ends as it would have. */
static void on_crash(int number)
{
    printf("in the world of seed %" PRIu64 ", after %" PRIu64 " events\n", seed_now,
           events_before);
    fflush(stdout);
    (void)raise(number); /* SA_RESETHAND */
}

static void catch_crashes(void)
{
    const struct sigaction action = {.sa_handler = on_crash, .sa_flags = (int)SA_RESETHAND};
    (void)sigaction(SIGABRT, &action, NULL);
    (void)sigaction(SIGSEGV, &action, NULL);
    (void)sigaction(SIGBUS, &action, NULL);
}

static void print_line(void *user, const char *line)
{
    (void)user;
    printf("%s\n", line);
}

static void look(void *user)
{
    (void)user;
    states_look(&all_nodes, nodes);
}

/* --- a world ----------------------------------------------------------------------------- */

static tc_sim_params params_of(const plan *p)
{
    tc_sim_params params = {.seed = p->seed, .fail_at = p->fail_at, .real_wait_ns = UINT64_MAX};
    if (plan_has(p, PLAN_partial))
        params.cut_per_million = 200000;
    if (plan_has(p, PLAN_interrupts))
        params.interrupt_per_million = 5000;
    if (plan_has(p, PLAN_far)) {
        params.delay_ns = 3 * MS;
        params.jitter_ns = 2 * MS;
    }
    params.ucx = plan_has_ucx(p);
    if (tracing)
        params.trace = print_line;
    if (counts_states)
        params.after_event = look;
    return params;
}

static void judge(const traffic *all, tc_status status, const tc_error *error, result *out)
{
    const char *found = flows_error();
    if (found != NULL)
        (void)snprintf(out->error, sizeof out->error, "%s", found);
    else if (status == TC_E_TIMEOUT)
        (void)snprintf(out->error, sizeof out->error, "the world does not end");
    else if (status != TC_OK)
        (void)snprintf(out->error, sizeof out->error, "%s", error->text);
    for (unsigned i = 0; i < all->plan->nodes && out->error[0] == '\0'; i++) {
        unsigned descriptors;
        const size_t bytes = tc_sim_node_memory(all->nodes[i], &descriptors);
        if (tc_sim_node_is_running(all->nodes[i]))
            (void)snprintf(out->error, sizeof out->error, "node %u waits for ever", i);
        else if (bytes > 0 || descriptors > 0)
            (void)snprintf(out->error, sizeof out->error,
                           "node %u left %zu bytes and %u descriptors", i, bytes, descriptors);
        else if (keys_left(all->nodes[i]) > 0)
            (void)snprintf(out->error, sizeof out->error, "node %u left %u objects of TLS", i,
                           keys_left(all->nodes[i]));
    }
}

static void run_world(const plan *p, result *out)
{
    traffic *all = &all_nodes;
    tc_sim_world *world;
    tc_error error = {0};
    const tc_sim_params params = params_of(p);
    *out = (result){0};
    flows_reset(plan_may_refuse(p));
    versions_reset();
    traffic_forget_tasks();
    panes_reset(&(panes_rules){plan_may_refuse(p), plan_has_steps(p)});
    *all = (traffic){.plan = p};
    if (tc_sim_world_create(&params, &world, &error) != TC_OK)
        abort();
    for (unsigned i = 0; i < p->nodes; i++) {
        nodes[i] = (traffic_node){.all = all, .number = i};
        all->busy[i] = true;
        if (tc_sim_node_create(world, i % p->hosts, traffic_main, &nodes[i], &all->nodes[i],
                               &error) != TC_OK)
            abort();
    }
    faults_begin(world, p);
    tc_status status = faults_run(world, all, nodes, &error);
    faults_end();
    panes_look_at_all();
    judge(all, status, &error, out);
    out->events = tc_sim_events(world);
    out->hash = tc_sim_hash(world);
    out->messages = flows_total();
    out->failable = tc_sim_failable(world);
    tc_sim_world_destroy(world);
    keys_forget();
}

/* --- failing worlds ---------------------------------------------------------------------- */

static bool still_fails(const plan *p)
{
    result r;
    run_world(p, &r);
    return r.error[0] != '\0';
}

/* Takes away all that the failure does not need. */
static plan shrink(plan p)
{
    bool smaller = true;
    while (smaller) {
        smaller = false;
        for (unsigned i = 0; i <= PLAN_FEATURE_COUNT + 3; i++) {
            plan less = p;
            if (i < PLAN_FEATURE_COUNT)
                less.features &= ~plan_bit(i);
            else if (i == PLAN_FEATURE_COUNT)
                less.actions /= 2;
            else if (i == PLAN_FEATURE_COUNT + 1)
                less.faults = less.faults > 0 ? less.faults - 1 : 0;
            else if (i == PLAN_FEATURE_COUNT + 2)
                less.nodes = less.nodes > 2 ? less.nodes - 1 : 2;
            else
                less.hosts = less.hosts > 1 ? less.hosts - 1 : 1;
            if (less.hosts > less.nodes)
                less.hosts = less.nodes;
            if (memcmp(&less, &p, sizeof p) != 0 && less.actions > 0 && still_fails(&less)) {
                p = less;
                smaller = true;
            }
        }
    }
    return p;
}

static void report(const plan *p, const result *r, bool shrinks)
{
    result small;
    printf("FAILED: %s\n  sim-explore ", r->error);
    plan_print(p);
    printf("\n");
    fflush(stdout);
    if (!shrinks)
        return;
    printf("making it smaller ...\n");
    fflush(stdout);
    const plan least = shrink(*p);
    run_world(&least, &small);
    printf("smallest: %s\n  sim-explore ", small.error);
    plan_print(&least);
    printf("\n");
}

/* --- the command ------------------------------------------------------------------------- */

/* Returns the processor time that this process has used: a busy machine does not change it. */
static double now_s(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Returns whether all worlds passed. */
static bool each_failure(const char *name, const plan *whole)
{
    result r;
    plan p = *whole;
    run_world(&p, &r);
    const uint64_t points = r.failable;
    for (p.fail_at = 1; p.fail_at <= points && r.error[0] == '\0'; p.fail_at++) {
        run_world(&p, &r);
        if (r.error[0] != '\0') {
            printf("FAILED: %s\n  sim-explore ", r.error);
            plan_print(&p);
            printf("\n");
            return false;
        }
    }
    printf("%-14s %" PRIu64 " calls failed, one at a time\n", name, points);
    return r.error[0] == '\0';
}

static bool first_world_passes(void)
{
    plan p;
    result r;
    if (!faults_prepare(&p))
        return true;
    run_world(&p, &r);
    if (r.error[0] != '\0')
        report(&p, &r, false);
    return r.error[0] == '\0';
}

static bool all_failures(uint64_t seed)
{
    plan p;
    bool passed = true;
    for (size_t i = 0; i < failures_count(); i++) {
        const char *name = failures_scenario(i, seed, &p);
        passed = each_failure(name, &p) && passed;
        fflush(stdout);
    }
    return passed;
}

static bool is_over(const arguments *args, uint64_t worlds, uint64_t events, double seconds)
{
    if (args->events > 0)
        return events >= args->events;
    return args->seconds > 0 ? seconds >= args->seconds : worlds >= args->worlds;
}

static uint64_t first_seed(const arguments *args)
{
    const uint64_t now = (uint64_t)time(NULL);
    if (args->has_seed)
        return args->plan.seed;
    return args->of_today ? now / SECONDS_A_DAY << DAY_SHIFT : now << 20;
}

int main(int argc, char **argv)
{
    const arguments args = arguments_parse(argc, argv);
    uint64_t seed = first_seed(&args);
    uint64_t events = 0, messages = 0, worlds = 0, hash = 0;
    result r;
    counts_states = args.states;
    if (!args.tracing)
        tc_log_set_level(TC_LOG_ERROR);
    traffic_prepare();
    keys_prepare();
    old_peers_prepare();
    catch_crashes();
    if (!first_world_passes())
        return 1;
    tracing = args.tracing;
    if (args.failures)
        return all_failures(args.has_seed ? seed : 0) ? 0 : 1;
    const double begin_s = now_s();
    for (;; seed++) {
        const plan p = arguments_plan(&args, seed);
        if (args.each_failure)
            return each_failure("this world", &p) ? 0 : 1;
        seed_now = seed;
        events_before = events;
        const size_t states = states_total();
        run_world(&p, &r);
        feedback_note(&p, states_total() - states);
        events += r.events;
        messages += r.messages;
        worlds++;
        hash = hash * 0x9e3779b97f4a7c15u + r.hash;
        if (r.error[0] != '\0') {
            printf("found after %" PRIu64 " events in %" PRIu64 " worlds, seed %" PRIu64 "\n",
                   events, worlds, seed);
            report(&p, &r, !args.of_today);
            return 1;
        }
        if (is_over(&args, worlds, events, now_s() - begin_s))
            break;
    }
    const double took_s = now_s() - begin_s;
    printf("%" PRIu64 " worlds to seed %" PRIu64 ", %" PRIu64
           " events (%.0f a second), %" PRIu64 " messages checked; hash %016" PRIx64 "\n",
           worlds, seed, events, (double)events / took_s, messages, hash);
    if (!tc_sim_has_ucx())
        printf("a build without UCX: ucx_am and ucx_put are not drawn\n");
    faults_print();
    for (unsigned i = 0; counts_states && i < STATES_MODEL_COUNT; i++)
        printf("%zu states of %s\n", states_count(i), states_model_name(i));
    return 0;
}
