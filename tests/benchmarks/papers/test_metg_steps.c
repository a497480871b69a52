/* Tasks of a rank without any peer: an input that is not the one it should be is noticed. */
#include "../../../benchmarks/papers/taskbench/metg_steps.h"
#include "../../support/test.h"

#include <string.h>

#define WIDTH 8u
#define OWN (WIDTH / 2)
#define WORDS 4u /* of an output */
#define BYTES (WORDS * sizeof(uint64_t))
#define SLOTS 4u
#define BOX_BYTES (OWN * BYTES)

static _Alignas(64) unsigned char inbox[SLOTS * 2 * BOX_BYTES];
static _Alignas(64) unsigned char outputs[2][OWN * BYTES];
static metg_graph graph;
static metg_rank rank_0;

static int make_rank(void **state)
{
    const metg_graph_params params = {METG_STENCIL, 2, WIDTH};
    (void)state;
    memset(inbox, 0, sizeof inbox);
    rank_0 = (metg_rank){.ranks = 2,
                         .params = {WIDTH, BYTES},
                         .share.inbox = {.memory = inbox,
                                         .box_bytes = BOX_BYTES,
                                         .output_bytes = BYTES,
                                         .own = OWN,
                                         .ranks = 2,
                                         .last_slot = SLOTS - 1},
                         .graph = &graph,
                         .seed = 5,
                         .iterations = 3,
                         .steps = 2,
                         .outputs = {outputs[0], outputs[1]}};
    return metg_graph_create(&params, 0, &graph) ? 0 : -1;
}

static int free_rank(void **state)
{
    (void)state;
    metg_graph_destroy(&graph);
    return 0;
}

/* The first step here, and its neighbour's output that a peer would have sent. */
static metg_output *run_first_step(void)
{
    metg_output *output = metg_inbox_output(&rank_0.share.inbox, 1, 0, 0);
    uint64_t expected[WIDTH] = {0};
    for (uint32_t i = 0; i < OWN; i++)
        metg_steps_run_task(&rank_0, &graph.plans[0].tasks[i], 0, 0);
    assert_true(metg_graph_expect(&graph.params, rank_0.seed, 1, 3, expected));
    *output = (metg_output){metg_id(0, OWN), expected[OWN]};
    metg_steps_fill_words(output, BYTES);
    for (uint32_t i = 0; i < OWN; i++)
        assert_true(metg_rank_output(&rank_0, 0, i)->sum == expected[i]);
    return output;
}

static void run_second_step(void)
{
    for (uint32_t i = 0; i < OWN; i++)
        metg_steps_run_task(&rank_0, &graph.plans[0].tasks[i], 1, METG_INPUTS_MAX - (i == 0));
}

TEST_WITH(sums_are_those_of_one_process, make_rank, free_rank)
{
    uint64_t expected[WIDTH] = {0};
    (void)run_first_step();
    run_second_step();
    assert_true(metg_graph_expect(&graph.params, rank_0.seed, 2, 3, expected));
    for (uint32_t i = 0; i < OWN; i++)
        assert_true(metg_rank_output(&rank_0, 1, i)->sum == expected[i]);
    assert_false(rank_0.is_wrong);
}

TEST_WITH(outputs_of_another_step_are_noticed, make_rank, free_rank)
{
    run_first_step()->id = metg_id(1, OWN);
    run_second_step();
    assert_true(rank_0.is_wrong);
}

TEST_WITH(outputs_of_another_point_are_noticed, make_rank, free_rank)
{
    run_first_step()->id = metg_id(0, OWN + 1);
    run_second_step();
    assert_true(rank_0.is_wrong);
}

TEST_WITH(torn_outputs_are_noticed, make_rank, free_rank)
{
    uint64_t *words = (uint64_t *)(void *)run_first_step();
    words[WORDS - 1]++;
    run_second_step();
    assert_true(rank_0.is_wrong);
}

TEST_WITH(outputs_that_are_not_there_are_awaited, make_rank, free_rank)
{
    const metg_exchange *with = &graph.plans[0].exchanges[0];
    assert_int_equal(graph.plans[0].exchange_count, 1);
    assert_false(metg_steps_have_come(&rank_0, with, 0));
    (void)run_first_step();
    assert_true(metg_steps_have_come(&rank_0, with, 0));
    assert_false(metg_steps_have_come(&rank_0, with, 4));
}
