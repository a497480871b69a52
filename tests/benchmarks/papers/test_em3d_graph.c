/* The graph of EM3D: parts that exchange the values they need have those of the whole
 * graph, and edges lead where they should. */
#include "../../../benchmarks/papers/mrpc/em3d_graph.h"
#include "../../support/test.h"

#include <stdlib.h>
#include <string.h>

#define RANKS 3u
#define OWN 40u
#define DEGREE 5u
#define STEPS 4u
#define SLOTS (OWN + RANKS * OWN)

static const em3d_graph_params params = {
    .ranks = RANKS, .own = OWN, .degree = DEGREE, .remote_percent = 50, .seed = 3};

static em3d_graph graphs[RANKS];
static double values[RANKS][EM3D_KINDS][SLOTS];

static int make_graphs(void **state)
{
    for (uint32_t rank = 0; rank < RANKS; rank++) {
        if (!em3d_graph_create(&params, rank, &graphs[rank]))
            return -1;
    }
    return 0;
}

static int free_graphs(void **state)
{
    for (uint32_t rank = 0; rank < RANKS; rank++)
        em3d_graph_destroy(&graphs[rank]);
    return 0;
}

/* A rank sends the values that the other one keeps, in the same order. */
TEST(sends_are_ghosts)
{
    for (uint32_t from = 0; from < RANKS; from++) {
        for (uint32_t to = 0; to < RANKS; to++) {
            for (uint32_t kind = 0; from != to && kind < EM3D_KINDS; kind++) {
                const em3d_graph_sends *sends = &graphs[from].sides[kind].sends[to];
                const em3d_graph_side *there = &graphs[to].sides[kind];
                assert_true(sends->count > 0);
                assert_true(sends->first + sends->count <= there->ghosts_of[to]);
                for (uint32_t i = 0; i < sends->count; i++) {
                    assert_int_equal(there->ghosts[sends->first + i].rank, from);
                    assert_int_equal(there->ghosts[sends->first + i].node, sends->nodes[i]);
                }
            }
        }
    }
}

static void exchange(uint32_t kind)
{
    for (uint32_t from = 0; from < RANKS; from++) {
        for (uint32_t to = 0; to < RANKS; to++) {
            const em3d_graph_sends *sends = &graphs[from].sides[kind].sends[to];
            for (uint32_t i = 0; i < sends->count; i++)
                values[to][kind][OWN + sends->first + i] = values[from][kind][sends->nodes[i]];
        }
    }
}

TEST(parts_have_the_values_of_the_whole)
{
    double e[RANKS * OWN], h[RANKS * OWN], *whole[EM3D_KINDS] = {e, h};
    assert_true(em3d_graph_run_serial(&params, STEPS, whole));
    for (uint32_t rank = 0; rank < RANKS; rank++) {
        for (uint32_t node = 0; node < EM3D_KINDS * OWN; node++)
            values[rank][node / OWN][node % OWN] =
                em3d_graph_initial(&params, node / OWN, rank, node % OWN);
    }
    for (uint32_t phase = 0; phase < EM3D_KINDS * STEPS; phase++) {
        const uint32_t kind = phase % EM3D_KINDS;
        exchange(1 - kind);
        for (uint32_t rank = 0; rank < RANKS; rank++)
            em3d_graph_update(values[rank][kind], OWN, DEGREE, graphs[rank].sides[kind].weights,
                              graphs[rank].sides[kind].slots, values[rank][1 - kind]);
    }
    for (uint32_t rank = 0; rank < RANKS; rank++) {
        assert_memory_equal(values[rank][0], e + rank * OWN, OWN * sizeof *e);
        assert_memory_equal(values[rank][1], h + rank * OWN, OWN * sizeof *h);
    }
}

/* Half of the edges, give or take seven deviations. */
TEST(edges_are_as_remote_as_asked)
{
    const uint64_t edges = (uint64_t)EM3D_KINDS * OWN * DEGREE;
    for (uint32_t rank = 0; rank < RANKS; rank++) {
        assert_true(graphs[rank].remote_edges > edges / 2 - 70);
        assert_true(graphs[rank].remote_edges < edges / 2 + 70);
    }
}

TEST(all_or_none_may_be_remote)
{
    for (uint32_t percent = 0; percent <= 100; percent += 100) {
        em3d_graph_params other = params;
        em3d_graph graph;
        other.remote_percent = percent;
        assert_true(em3d_graph_create(&other, 1, &graph));
        assert_int_equal(graph.remote_edges, percent == 0 ? 0 : EM3D_KINDS * OWN * DEGREE);
        em3d_graph_destroy(&graph);
    }
}

int main(void)
{
    return test_run(make_graphs, free_graphs);
}
