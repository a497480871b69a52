/* Task graphs: the plans of all ranks have each task once, agree on exchanges, and wait
 * only where they have to. The kernel counts. */
#include "../../../benchmarks/papers/taskbench/metg_graph.h"
#include "../../../benchmarks/papers/taskbench/metg_curve.h"
#include "../../support/test.h"

#include <stdlib.h>

#define RANKS_MAX 4u

typedef struct shape {
    metg_pattern pattern;
    uint32_t ranks, width;
} shape;

static const shape shapes[] = {
    {METG_TRIVIAL, 2, 8}, {METG_STENCIL, 2, 2}, {METG_STENCIL, 3, 12}, {METG_STENCIL, 4, 4},
    {METG_FFT, 2, 8},     {METG_FFT, 2, 2},     {METG_FFT, 3, 12},     {METG_FFT, 4, 64},
};
#define SHAPES (sizeof shapes / sizeof shapes[0])

static metg_graph graphs[RANKS_MAX];

static const metg_graph *make(const shape *of)
{
    const metg_graph_params params = {of->pattern, of->ranks, of->width};
    for (uint32_t rank = 0; rank < of->ranks; rank++)
        assert_true(metg_graph_create(&params, rank, &graphs[rank]));
    return graphs;
}

static void destroy(const shape *of)
{
    for (uint32_t rank = 0; rank < of->ranks; rank++)
        metg_graph_destroy(&graphs[rank]);
}

TEST(dependences_are_the_papers)
{
    const metg_graph_params stencil = {METG_STENCIL, 2, 8}, fft = {METG_FFT, 2, 8};
    uint32_t in[METG_INPUTS_MAX];
    assert_int_equal(metg_graph_inputs(&stencil, 0, 3, in), 3);
    assert_int_equal(in[0], 2);
    assert_int_equal(in[1], 3);
    assert_int_equal(in[2], 4);
    assert_int_equal(metg_graph_inputs(&stencil, 0, 0, in), 2);
    assert_int_equal(metg_graph_sets(&fft), 3);
    assert_int_equal(metg_graph_inputs(&fft, 2, 1, in), 2);
    assert_int_equal(in[0], 1);
    assert_int_equal(in[1], 5);
    assert_int_equal(metg_graph_inputs(&fft, 1, 2, in), 3);
    assert_int_equal(in[0], 0);
    assert_int_equal(in[2], 4);
}

static void check_task(const metg_graph *g, uint32_t set, const metg_task *task,
                       bool *is_remote)
{
    uint32_t in[METG_INPUTS_MAX];
    *is_remote = false;
    assert_int_equal(metg_graph_inputs(&g->params, set, g->rank * g->own + task->own, in),
                     task->input_count);
    for (uint32_t i = 0; i < task->input_count; i++) {
        const metg_input *input = &task->inputs[i];
        const bool is_own = input->peer == METG_OWN_PEER;
        assert_int_equal(input->point, in[i]);
        assert_int_equal((is_own ? g->rank : input->peer) * g->own + input->index, in[i]);
        *is_remote = *is_remote || !is_own;
    }
}

static void check_plan(const metg_graph *g, uint32_t set)
{
    const metg_plan *plan = &g->plans[set];
    bool *is_planned = calloc(g->own, sizeof *is_planned);
    assert_non_null(is_planned);
    for (uint32_t i = 0; i < g->own; i++) {
        bool is_remote;
        assert_true(plan->tasks[i].own < g->own);
        assert_false(is_planned[plan->tasks[i].own]);
        is_planned[plan->tasks[i].own] = true;
        check_task(g, set, &plan->tasks[i], &is_remote);
        assert_int_equal(is_remote, i >= plan->first_remote);
    }
    free(is_planned);
}

/* The tasks that a plan runs before it sends have written all that it sends. */
static void check_send(const metg_graph *g, uint32_t set)
{
    const metg_plan *plan = &g->plans[set], *next = &g->plans[(set + 1) % g->sets];
    assert_int_equal(plan->send_after == 0, next->exchange_count == 0);
    for (uint32_t i = 0; i < next->exchange_count; i++) {
        const metg_exchange *with = &next->exchanges[i];
        for (uint32_t k = plan->send_after; k < g->own; k++)
            assert_true(plan->tasks[k].own < with->first ||
                        plan->tasks[k].own >= with->first + with->count);
    }
}

TEST(plans_have_each_task_once)
{
    for (size_t i = 0; i < SHAPES; i++) {
        const metg_graph *all = make(&shapes[i]);
        for (uint32_t rank = 0; rank < shapes[i].ranks; rank++) {
            for (uint32_t set = 0; set < all[rank].sets; set++) {
                check_plan(&all[rank], set);
                check_send(&all[rank], set);
            }
        }
        destroy(&shapes[i]);
    }
}

static const metg_exchange *find(const metg_plan *plan, uint32_t peer)
{
    for (uint32_t i = 0; i < plan->exchange_count; i++) {
        if (plan->exchanges[i].peer == peer)
            return &plan->exchanges[i];
    }
    return NULL;
}

TEST(ranks_agree_on_exchanges)
{
    for (size_t i = 0; i < SHAPES; i++) {
        const metg_graph *all = make(&shapes[i]);
        for (uint32_t n = 0; n < shapes[i].ranks * shapes[i].ranks * all->sets; n++) {
            const uint32_t a = n % shapes[i].ranks, b = n / shapes[i].ranks % shapes[i].ranks;
            const uint32_t set = n / shapes[i].ranks / shapes[i].ranks;
            const metg_exchange *here = find(&all[a].plans[set], b);
            const metg_exchange *there = find(&all[b].plans[set], a);
            assert_int_equal(here == NULL, there == NULL);
            if (here == NULL)
                continue;
            assert_int_equal(here->count, there->count);
            assert_int_equal(here->first, there->peer_first);
            assert_int_equal(here->peer_first, there->first);
        }
        destroy(&shapes[i]);
    }
}

/* A sum depends on each input, on the step and the point, and on the kernel. */
TEST(sums_depend_on_all)
{
    const metg_graph_params params = {METG_FFT, 2, 8};
    uint64_t one[8] = {0}, other[8] = {0};
    assert_true(metg_graph_expect(&params, 1, 5, 10, one));
    assert_true(metg_graph_expect(&params, 1, 5, 11, other));
    for (unsigned i = 0; i < 8; i++)
        assert_true(one[i] != other[i]);
    assert_true(metg_graph_expect(&params, 1, 5, 10, other));
    assert_memory_equal(one, other, sizeof one);
    assert_true(metg_sum_begin(1, 2, 3) != metg_sum_begin(1, 3, 2));
    assert_true(metg_sum_add(metg_sum_add(0, 1), 2) != metg_sum_add(metg_sum_add(0, 2), 1));
}

static void check_kernel(void)
{
    for (uint64_t iterations = 1; iterations < 40; iterations += 3)
        assert_int_equal(metg_kernel(7, iterations), METG_KERNEL_LANES * (7 + iterations));
    assert_int_equal(metg_kernel(7, 0), 0);
    assert_int_equal(metg_kernel(65535, 100000), METG_KERNEL_LANES * 165535u);
}

TEST(kernels_count)
{
    check_kernel();
    assert_non_null(metg_kernel_choose());
    check_kernel();
}

TEST(metg_is_where_the_curve_crosses)
{
    const metg_point points[] = {{1000, 1.0}, {400, 0.8}, {100, 0.2}, {90, 0.1}};
    bool is_bound;
    assert_float_equal(metg_curve_cross(points, 4, 0.5, &is_bound), 200, 1e-6);
    assert_false(is_bound);
    assert_float_equal(metg_curve_cross(points, 2, 0.5, &is_bound), 400, 1e-6);
    assert_true(is_bound);
    assert_float_equal(metg_curve_cross(points + 2, 2, 0.5, &is_bound), 0, 1e-9);
    assert_false(is_bound);
}
