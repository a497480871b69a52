#include "metg_graph.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

const char *const metg_pattern_names[METG_PATTERNS] = {"trivial", "stencil", "fft"};

/* --- dependences ------------------------------------------------------------------------- */

uint32_t metg_graph_sets(const metg_graph_params *params)
{
    uint32_t sets = 1;
    while (params->pattern == METG_FFT && 1u << sets < params->width)
        sets++;
    return sets;
}

uint32_t metg_graph_slots(const metg_graph_params *params)
{
    const uint32_t least = metg_graph_sets(params) + 3;
    uint32_t slots = 4;
    while (slots < least)
        slots *= 2;
    return slots;
}

uint32_t metg_graph_inputs(const metg_graph_params *params, uint32_t set, uint32_t point,
                           uint32_t inputs_out[METG_INPUTS_MAX])
{
    const uint32_t distance = params->pattern == METG_FFT ? 1u << set : 1;
    uint32_t count = 0;
    if (params->pattern == METG_TRIVIAL)
        return 0;
    if (point >= distance)
        inputs_out[count++] = point - distance;
    inputs_out[count++] = point;
    if (point + distance < params->width)
        inputs_out[count++] = point + distance;
    return count;
}

/* --- plans ------------------------------------------------------------------------------- */

static bool reads(const metg_graph_params *params, uint32_t set, uint32_t point, uint32_t other)
{
    uint32_t inputs[METG_INPUTS_MAX];
    const uint32_t count = metg_graph_inputs(params, set, point, inputs);
    for (uint32_t i = 0; i < count; i++) {
        if (inputs[i] == other)
            return true;
    }
    return false;
}

/* Returns whether a task of `reader` reads the output of a point under a set. */
static bool is_read_by(const metg_graph *g, uint32_t set, uint32_t point, uint32_t reader)
{
    for (uint32_t i = 0; i < g->own; i++) {
        if (reads(&g->params, set, reader * g->own + i, point))
            return true;
    }
    return false;
}

static bool is_read_elsewhere(const metg_graph *g, uint32_t set, uint32_t point)
{
    for (uint32_t peer = 0; peer < g->params.ranks; peer++) {
        if (peer != g->rank && is_read_by(g, set, point, peer))
            return true;
    }
    return false;
}

/* Returns whether the task reads outputs of other ranks. */
static bool describe_task(const metg_graph *g, uint32_t set, uint32_t own, metg_task *task)
{
    uint32_t inputs[METG_INPUTS_MAX];
    bool is_remote = false;
    task->own = own;
    task->input_count = metg_graph_inputs(&g->params, set, g->rank * g->own + own, inputs);
    for (uint32_t i = 0; i < task->input_count; i++) {
        const uint32_t peer = inputs[i] / g->own;
        task->inputs[i] = (metg_input){inputs[i], METG_OWN_PEER, inputs[i] % g->own};
        if (peer == g->rank)
            continue;
        task->inputs[i].peer = peer;
        is_remote = true;
    }
    return is_remote;
}

/* In four passes: tasks that read outputs of this rank alone before those that wait, and in
 * both halves tasks with outputs for other ranks first. */
static void order_tasks(const metg_graph *g, uint32_t set, metg_plan *plan)
{
    const uint32_t next = (set + 1) % g->sets;
    uint32_t count = 0;
    plan->send_after = 0;
    for (unsigned pass = 0; pass < 4; pass++) {
        if (pass == 2)
            plan->first_remote = count;
        for (uint32_t own = 0; own < g->own; own++) {
            const bool is_remote = describe_task(g, set, own, &plan->tasks[count]);
            const bool is_awaited = is_read_elsewhere(g, next, g->rank * g->own + own);
            if (is_remote != (pass >= 2) || is_awaited != (pass % 2 == 0))
                continue;
            count++;
            if (is_awaited)
                plan->send_after = count;
        }
    }
}

/* Finds the points of `writer` that `reader` reads outputs of. False if it reads no output. */
static bool find_range(const metg_graph *g, uint32_t set, uint32_t writer, uint32_t reader,
                       uint32_t *first_out, uint32_t *count_out)
{
    *count_out = 0;
    for (uint32_t i = 0; i < g->own; i++) {
        if (!is_read_by(g, set, writer * g->own + i, reader))
            continue;
        if (*count_out == 0)
            *first_out = i;
        assert(i == *first_out + *count_out);
        ++*count_out;
    }
    return *count_out > 0;
}

/* The next rank first, so that not all send to one. */
static bool describe_exchanges(const metg_graph *g, uint32_t set, metg_plan *plan)
{
    plan->exchanges = calloc(g->params.ranks, sizeof *plan->exchanges);
    if (plan->exchanges == NULL)
        return false;
    for (uint32_t i = 1; i < g->params.ranks; i++) {
        const uint32_t peer = (g->rank + i) % g->params.ranks;
        metg_exchange *with = &plan->exchanges[plan->exchange_count];
        uint32_t peer_count;
        with->peer = peer;
        if (!find_range(g, set, g->rank, peer, &with->first, &with->count))
            continue;
        (void)find_range(g, set, peer, g->rank, &with->peer_first, &peer_count);
        assert(peer_count == with->count);
        plan->exchange_count++;
    }
    return true;
}

bool metg_graph_create(const metg_graph_params *params, uint32_t rank, metg_graph *graph_out)
{
    metg_graph *g = graph_out;
    *g = (metg_graph){.params = *params,
                      .rank = rank,
                      .own = params->width / params->ranks,
                      .sets = metg_graph_sets(params)};
    for (uint32_t set = 0; set < g->sets; set++) {
        metg_plan *plan = &g->plans[set];
        /* One more than there are: order_tasks describes a task before it has its position. */
        plan->tasks = calloc(g->own + 1, sizeof *plan->tasks);
        if (plan->tasks == NULL || !describe_exchanges(g, set, plan))
            return false;
        order_tasks(g, set, plan);
    }
    return true;
}

void metg_graph_destroy(metg_graph *graph)
{
    for (uint32_t set = 0; set < METG_SETS_MAX; set++) {
        metg_plan *plan = &graph->plans[set];
        free(plan->exchanges);
        free(plan->tasks);
    }
    *graph = (metg_graph){.rank = 0};
}

/* --- one process ------------------------------------------------------------------------- */

static uint64_t expect_task(const metg_graph_params *params, uint64_t seed, uint32_t step,
                            uint32_t point, const uint64_t *before)
{
    const uint32_t sets = metg_graph_sets(params);
    uint32_t inputs[METG_INPUTS_MAX];
    uint64_t sum = metg_sum_begin(seed, step, point);
    const uint32_t count =
        step == 0 ? 0 : metg_graph_inputs(params, (step - 1) % sets, point, inputs);
    for (uint32_t i = 0; i < count; i++)
        sum = metg_sum_add(sum, before[inputs[i]]);
    return sum;
}

bool metg_graph_expect(const metg_graph_params *params, uint64_t seed, uint32_t steps,
                       uint64_t iterations, uint64_t *sums_out)
{
    uint64_t *before = calloc(params->width, sizeof *before);
    if (before == NULL)
        return false;
    for (uint32_t step = 0; step < steps; step++) {
        memcpy(before, sums_out, params->width * sizeof *before);
        for (uint32_t point = 0; point < params->width; point++) {
            const uint64_t sum = expect_task(params, seed, step, point, before);
            sums_out[point] = sum;
            if (iterations > 0)
                sums_out[point] += METG_KERNEL_LANES * (metg_sum_start(sum) + iterations);
        }
    }
    free(before);
    return true;
}
