/* sim-scale: a world of many nodes. It measures in simulated and in real time, and in memory:
 *
 *   start    all nodes listen and connect as the pattern has it
 *   prepare  one function is made ready at all nodes, along a tree of them
 *   barrier  all nodes pass several barriers
 *   chase    a message travels through nodes, each of which sends it on to a random neighbour
 *   arm      the neighbours of a rack's nodes start calls there, which nothing answers
 *   death    all nodes of the rack are killed: calls and endpoints end, and all survivors know
 *
 * It fails when any of these does not happen. */
#include "scale_node.h"

#include <tc/advanced.h>
#include <tc/log.h>

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SLICE_NS (SCALE_MS / 4)
#define PROGRESS_S 2.0

static double now_s(clockid_t clock)
{
    struct timespec now;
    (void)clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void *allocate(size_t count, size_t size)
{
    void *memory = calloc(count, size);
    if (memory == NULL) {
        fprintf(stderr, "sim-scale: out of memory\n");
        exit(1);
    }
    return memory;
}

/* --- the world --------------------------------------------------------------------------- */

static const tc_group_member *make_members(const scale *all)
{
    const scale_plan *p = all->plan;
    tc_group_member *members = allocate(p->nodes, sizeof *members);
    char(*texts)[TC_SIM_ADDRESS_BYTES] = allocate(p->nodes, sizeof *texts);
    for (unsigned i = 0; i < p->nodes; i++) {
        const uint16_t port = (uint16_t)(SCALE_PORT + i % p->per_host);
        (void)tc_sim_address(all->nodes[i], port, texts[i]);
        members[i] = (tc_group_member){texts[i], strlen(texts[i])};
    }
    return members;
}

static void make_world(scale *all, const scale_plan *p)
{
    tc_error error;
    *all = (scale){.plan = p, .doomed = scale_doomed_rack(p)};
    all->nodes = allocate(p->nodes, sizeof(tc_sim_node *));
    all->programs = allocate(p->nodes, sizeof(scale_node *));
    all->starts = allocate(p->nodes, sizeof *all->starts);
    tc_status status = tc_sim_world_create(&p->world, &all->world, &error);
    for (unsigned i = 0; i < p->nodes && status == TC_OK; i++) {
        all->starts[i] = (scale_start){all, i};
        status = tc_sim_node_create(all->world, i / p->per_host, scale_main, &all->starts[i],
                                    &all->nodes[i], &error);
    }
    if (status != TC_OK) {
        fprintf(stderr, "sim-scale: %s\n", error.text);
        exit(1);
    }
    if (p->pattern == SCALE_GROUP)
        all->members = make_members(all);
}

/* --- phases ------------------------------------------------------------------------------ */

static bool is_complete(const scale *all)
{
    for (unsigned i = 0; i < SCALE_EVENTS; i++) {
        if (all->counts[i].count < all->counts[i].goal)
            return false;
    }
    return true;
}

static void say(const scale *all, const char *name, double since_s)
{
    fprintf(stderr, "sim-scale: %s: %" PRIu64 " of %" PRIu64 ", %.3f ms simulated, %.0f s\n",
            name, all->counts[SCALE_DONE].count, all->counts[SCALE_DONE].goal,
            (double)tc_sim_now_ns(all->world) / 1e6, since_s);
}

static void run_until_complete(scale *all, const char *name)
{
    const double begun_s = now_s(CLOCK_MONOTONIC);
    const uint64_t limit_ns = tc_sim_now_ns(all->world) + SCALE_LONG_NS;
    double said_s = begun_s;
    while (!is_complete(all) && all->error[0] == '\0') {
        tc_error error = {TC_E_TIMEOUT, "the phase does not end"};
        const uint64_t now_ns = tc_sim_now_ns(all->world);
        tc_status status =
            now_ns < limit_ns ? tc_sim_run_until(all->world, now_ns + SLICE_NS, &error) : TC_OK;
        if (status != TC_E_TIMEOUT)
            scale_fail(all, 0, name, &error);
        if (now_s(CLOCK_MONOTONIC) - said_s >= PROGRESS_S) {
            said_s = now_s(CLOCK_MONOTONIC);
            say(all, name, said_s - begun_s);
        }
    }
}

static uint64_t last_ns(const scale *all)
{
    uint64_t last = all->begun_ns;
    for (unsigned i = 0; i < SCALE_EVENTS; i++)
        last = all->counts[i].last_ns > last ? all->counts[i].last_ns : last;
    return last;
}

static void run_phase(scale *all, scale_stage stage, const uint64_t goals[SCALE_EVENTS],
                      scale_phase *out)
{
    static const char *const names[] = {
#define SCALE_NAME(name, count) #name,
        SCALE_PHASES(SCALE_NAME)
#undef SCALE_NAME
    };
    const double begun_s = now_s(CLOCK_MONOTONIC);
    const double worked_s = now_s(CLOCK_PROCESS_CPUTIME_ID);
    const uint64_t events = tc_sim_events(all->world);
    for (unsigned i = 0; i < SCALE_EVENTS; i++)
        all->counts[i].goal = goals[i];
    run_until_complete(all, names[stage]);
    *out = (scale_phase){.name = names[stage],
                         .took_ns = last_ns(all) - all->begun_ns,
                         .real_s = now_s(CLOCK_MONOTONIC) - begun_s,
                         .processor_s = now_s(CLOCK_PROCESS_CPUTIME_ID) - worked_s,
                         .events = tc_sim_events(all->world) - events,
                         .resident = scale_resident()};
}

static void begin_phase(scale *all, scale_stage stage)
{
    for (unsigned i = 0; i < SCALE_EVENTS; i++)
        all->counts[i] = (scale_count){0};
    all->begun_ns = tc_sim_now_ns(all->world);
    all->stage = stage;
}

/* --- the rack's death -------------------------------------------------------------------- */

/* Returns how many survivors' connections lead to the rack. */
static uint64_t count_cut(const scale *all)
{
    const scale_plan *p = all->plan;
    uint64_t cut = 0;
    for (unsigned i = 0; i < p->nodes && p->pattern != SCALE_GROUP; i++) {
        for (unsigned k = 0; k < scale_targets(p, i); k++)
            cut += scale_is_doomed(all, i) != scale_is_doomed(all, scale_target(p, i, k));
    }
    return cut;
}

static uint64_t count_doomed(const scale *all)
{
    uint64_t count = 0;
    for (unsigned i = 0; i < all->plan->nodes; i++)
        count += scale_is_doomed(all, i);
    return count;
}

static void kill_rack(scale *all, scale_figures *f)
{
    const uint64_t survivors = all->plan->nodes - count_doomed(all), cut = count_cut(all);
    const bool in_group = all->plan->pattern == SCALE_GROUP;
    f->dead = count_doomed(all);
    begin_phase(all, SCALE_STAGE_arm);
    run_phase(all, SCALE_STAGE_arm, (uint64_t[]){in_group ? survivors : cut, 0, 0, 0},
              &f->phases[SCALE_STAGE_arm]);
    /* All of it arrives. */
    (void)!tc_sim_run_until(all->world, tc_sim_now_ns(all->world) + 100 * SCALE_MS, NULL);
    begin_phase(all, SCALE_STAGE_death);
    for (unsigned i = 0; i < all->plan->nodes; i++) {
        if (scale_is_doomed(all, i))
            tc_sim_node_kill(all->nodes[i]);
    }
    run_phase(all, SCALE_STAGE_death, (uint64_t[]){0, cut, cut, survivors},
              &f->phases[SCALE_STAGE_death]);
    f->ends = all->counts[SCALE_ENDS].count;
    f->calls = all->counts[SCALE_CALLS].count;
    f->knows = all->counts[SCALE_KNOWS].count;
    const uint64_t begun_ns = all->begun_ns;
    f->ends_ns = f->ends > 0 ? all->counts[SCALE_ENDS].last_ns - begun_ns : 0;
    f->calls_ns = f->calls > 0 ? all->counts[SCALE_CALLS].last_ns - begun_ns : 0;
    f->knows_ns = f->knows > 0 ? all->counts[SCALE_KNOWS].last_ns - begun_ns : 0;
}

/* --- figures ----------------------------------------------------------------------------- */

static uint64_t counter(const tc_context *ctx, const char *name)
{
    size_t i = 0;
    while (strcmp(tc_stats_name(i), name) != 0)
        i++;
    return tc_stats_value(ctx, i);
}

static void count_nodes(const scale *all, scale_figures *f)
{
    for (unsigned i = 0; i < all->plan->nodes; i++) {
        unsigned descriptors;
        if (all->programs[i] == NULL)
            continue;
        const uint64_t opened = counter(all->programs[i]->ctx, "endpoints_opened");
        f->node_bytes += tc_sim_node_memory(all->nodes[i], &descriptors);
        f->descriptors += descriptors;
        f->connections += opened;
        f->connections_max = opened > f->connections_max ? opened : f->connections_max;
    }
}

static void count_messages(const scale *all, scale_figures *f)
{
    for (unsigned i = 0; i < all->plan->nodes; i++) {
        if (all->programs[i] != NULL)
            f->messages += counter(all->programs[i]->ctx, "messages_run");
    }
}

static int compare(const void *one, const void *other)
{
    const uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;
    return a < b ? -1 : a > b;
}

static uint64_t median_barrier(const scale *all)
{
    uint64_t took_ns[SCALE_ROUNDS_MAX];
    const unsigned rounds = all->plan->rounds;
    for (unsigned i = 0; i < rounds; i++)
        took_ns[i] = all->passed_ns[i + 1] - all->passed_ns[i];
    qsort(took_ns, rounds, sizeof *took_ns, compare);
    return took_ns[rounds / 2];
}

static int run(const scale_plan *p, bool json)
{
    static scale all;
    static scale_figures f;
    f.resident_before = scale_resident();
    make_world(&all, p);
    const uint64_t goals[] = {p->nodes, p->nodes - 1, p->nodes, 1};
    for (unsigned i = SCALE_STAGE_start; i <= SCALE_STAGE_chase && all.error[0] == '\0'; i++) {
        begin_phase(&all, (scale_stage)i);
        run_phase(&all, (scale_stage)i, (uint64_t[]){goals[i], 0, 0, 0}, &f.phases[i]);
        if (i == SCALE_STAGE_start)
            count_nodes(&all, &f);
    }
    if (all.error[0] == '\0') {
        f.barrier_ns = median_barrier(&all);
        count_messages(&all, &f);
        kill_rack(&all, &f);
    }
    f.hash = tc_sim_hash(all.world);
    if (all.error[0] != '\0') {
        fprintf(stderr, "sim-scale: %s\n", all.error);
        return 1;
    }
    scale_report(p, &f, json);
    tc_sim_world_destroy(all.world);
    return 0;
}

/* --- the command ------------------------------------------------------------------------- */

static const char help[] =
    "usage: sim-scale [options]: measures a simulated world of many nodes\n"
    "  --nodes N        nodes (1000)\n"
    "  --pattern NAME   connections: tree, star (all to one), near (k neighbours), group "
    "(tree)\n"
    "  --degree K       children of a node of the tree; neighbours of one of `near` (8)\n"
    "  --per-host N     nodes of a host (1)\n"
    "  --rack-hosts N   hosts of a rack (32)\n"
    "  --ring-kb N      size of rings (4)\n"
    "  --hops N         of the message that travels (1000)\n"
    "  --rounds N       barriers (4)\n"
    "  --delay-us N     one way between hosts (20)\n"
    "  --bytes-per-us N of a connection (1000)\n"
    "  --stack-kb N     of a node (256)\n"
    "  --seed N         of the world (1)\n"
    "  --json           one line of JSON\n"
    "  --help           this text\n";

enum {
    NODES = 1,
    PATTERN,
    DEGREE,
    PER_HOST,
    RACK,
    RING,
    HOPS,
    ROUNDS,
    DELAY,
    BYTES,
    STACK,
    SEED
};

static const struct option options[] = {{"nodes", 1, NULL, NODES},
                                        {"pattern", 1, NULL, PATTERN},
                                        {"degree", 1, NULL, DEGREE},
                                        {"per-host", 1, NULL, PER_HOST},
                                        {"rack-hosts", 1, NULL, RACK},
                                        {"ring-kb", 1, NULL, RING},
                                        {"hops", 1, NULL, HOPS},
                                        {"rounds", 1, NULL, ROUNDS},
                                        {"delay-us", 1, NULL, DELAY},
                                        {"bytes-per-us", 1, NULL, BYTES},
                                        {"stack-kb", 1, NULL, STACK},
                                        {"seed", 1, NULL, SEED},
                                        {"json", 0, NULL, 'j'},
                                        {"help", 0, NULL, 'h'},
                                        {NULL, 0, NULL, 0}};

static void usage(const char *what)
{
    fprintf(stderr, "sim-scale: %s; --help lists the options\n", what);
    exit(2);
}

static void set_number(scale_plan *p, int option, uint64_t number)
{
    unsigned *const members[] = {
        [NODES] = &p->nodes,     [DEGREE] = &p->degree, [PER_HOST] = &p->per_host,
        [RACK] = &p->rack_hosts, [RING] = &p->ring_kb,  [HOPS] = &p->hops,
        [ROUNDS] = &p->rounds};
    if (number == 0 || number > UINT32_MAX)
        usage("a number that is 0 or too large");
    if (option == DELAY)
        p->world.delay_ns = number * 1000;
    else if (option == BYTES)
        p->world.bytes_per_us = number;
    else if (option == STACK)
        p->world.stack_bytes = (size_t)number << 10;
    else if (option == SEED)
        p->world.seed = number;
    else
        *members[option] = (unsigned)number;
}

static bool parse(int argc, char **argv, scale_plan *p)
{
    bool json = false;
    int option;
    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        if (option == 'h') {
            fputs(help, stdout);
            exit(0);
        }
        if (option == 'j')
            json = true;
        else if (option == PATTERN && !scale_pattern_of(optarg, &p->pattern))
            usage("no such pattern");
        else if (option == '?')
            exit(2);
        else if (option != PATTERN)
            set_number(p, option, strtoull(optarg, NULL, 0));
    }
    return json;
}

int main(int argc, char **argv)
{
    scale_plan p = {.pattern = SCALE_TREE,
                    .nodes = 1000,
                    .degree = 8,
                    .per_host = 1,
                    .rack_hosts = 32,
                    .hops = 1000,
                    .rounds = 4,
                    .ring_kb = 4,
                    .world = {.seed = 1}};
    const bool json = parse(argc, argv, &p);
    if (p.nodes < 2 || p.rounds > SCALE_ROUNDS_MAX || optind < argc)
        usage("at least 2 nodes, and at most 16 rounds");
    if (p.pattern == SCALE_NEAR && (p.degree < 2 || p.degree >= p.nodes))
        usage("neighbours: at least 2, and fewer than the nodes");
    if (scale_doomed_rack(&p) == 0)
        usage("at least two racks: fewer hosts in one, or more nodes");
    tc_log_set_level(TC_LOG_ERROR);
    scale_bind();
    return run(&p, json);
}
