#include "em3d_graph.h"

#include <stdlib.h>
#include <string.h>

/* --- edges ------------------------------------------------------------------------------- */

/* A number of 64 bits that depends on every bit of both. */
static uint64_t mix(uint64_t seed, uint64_t number)
{
    uint64_t x = seed + (number + 1) * 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 32) * 0xd6e8feb86659fd93u;
    x = (x ^ x >> 32) * 0xd6e8feb86659fd93u;
    return x ^ x >> 32;
}

static double fraction(uint64_t random)
{
    return (double)(random >> 11) / 9007199254740992.0; /* 2 to the 53rd */
}

/* The other end of an edge into a node of `rank`. */
static em3d_graph_node end_of(const em3d_graph_params *p, uint32_t kind, uint32_t rank,
                              uint32_t node, uint32_t edge)
{
    const uint64_t number = (((uint64_t)rank * p->own + node) * p->degree + edge) * 4 + kind;
    const uint64_t where = mix(p->seed, number), which = mix(p->seed ^ where, number);
    em3d_graph_node end = {rank, (uint32_t)(which % p->own)};
    if (p->ranks > 1 && where % 100 < p->remote_percent)
        end.rank = (rank + 1 + (uint32_t)((where >> 32) % (p->ranks - 1))) % p->ranks;
    return end;
}

/* A node's weights sum up to about 1, so values neither grow nor vanish. */
static double weight_of(const em3d_graph_params *p, uint32_t kind, uint32_t rank, uint32_t node,
                        uint32_t edge)
{
    const uint64_t number = (((uint64_t)rank * p->own + node) * p->degree + edge) * 4 + kind;
    return (0.5 + fraction(mix(~p->seed, number))) / p->degree;
}

double em3d_graph_initial(const em3d_graph_params *params, uint32_t kind, uint32_t rank,
                          uint32_t node)
{
    return fraction(mix(params->seed, ((uint64_t)rank * params->own + node) * 4 + 2 + kind));
}

/* --- ghosts ------------------------------------------------------------------------------ */

/* Marks the nodes, by rank * own + node, that edges into nodes of the other kind of `rank` lead
 * to, without its own. Returns how many edges lead to them. */
static uint64_t mark_needed(const em3d_graph_params *p, uint32_t kind, uint32_t rank,
                            uint8_t *needed)
{
    uint64_t edges = 0;
    memset(needed, 0, (size_t)p->ranks * p->own);
    for (uint32_t node = 0; node < p->own; node++) {
        for (uint32_t edge = 0; edge < p->degree; edge++) {
            const em3d_graph_node end = end_of(p, 1 - kind, rank, node, edge);
            if (end.rank == rank)
                continue;
            needed[(size_t)end.rank * p->own + end.node] = 1;
            edges++;
        }
    }
    return edges;
}

static uint32_t count_marked(const uint8_t *needed, size_t from, size_t to)
{
    uint32_t count = 0;
    for (size_t i = from; i < to; i++)
        count += needed[i];
    return count;
}

/* Notes which own nodes a peer keeps as ghosts. */
static bool note_sends(em3d_graph *g, em3d_graph_side *side, uint32_t peer,
                       const uint8_t *needed)
{
    const size_t own = g->params.own, begin = g->rank * own;
    em3d_graph_sends *sends = &side->sends[peer];
    sends->first = count_marked(needed, 0, begin);
    sends->nodes = malloc((own + 1) * sizeof *sends->nodes);
    if (sends->nodes == NULL)
        return false;
    for (uint32_t node = 0; node < own; node++) {
        if (needed[begin + node])
            sends->nodes[sends->count++] = node;
    }
    return true;
}

/* Numbers this rank's ghosts, and returns the slots of all nodes in `slot_of`. */
static bool note_ghosts(em3d_graph *g, em3d_graph_side *side, const uint8_t *needed,
                        uint32_t *slot_of)
{
    const em3d_graph_params *p = &g->params;
    uint32_t slot = p->own;
    side->ghosts = malloc((side->ghosts_of[g->rank] + 1) * sizeof *side->ghosts);
    if (side->ghosts == NULL)
        return false;
    for (uint32_t i = 0; i < p->ranks * p->own; i++) {
        if (i / p->own == g->rank) {
            slot_of[i] = i % p->own;
        } else if (needed[i]) {
            side->ghosts[slot - p->own] = (em3d_graph_node){i / p->own, i % p->own};
            slot_of[i] = slot++;
        }
    }
    return true;
}

/* Fills the edges into a rank's nodes, from `at` on. */
static void fill_edges(const em3d_graph_params *p, uint32_t kind, uint32_t rank,
                       const uint32_t *slot_of, double *weights, uint32_t *slots)
{
    for (uint32_t node = 0; node < p->own; node++) {
        for (uint32_t edge = 0; edge < p->degree; edge++) {
            const em3d_graph_node end = end_of(p, kind, rank, node, edge);
            const size_t number = (size_t)end.rank * p->own + end.node;
            *weights++ = weight_of(p, kind, rank, node, edge);
            *slots++ = slot_of != NULL ? slot_of[number] : (uint32_t)number;
        }
    }
}

static bool create_side(em3d_graph *g, uint32_t kind, uint8_t *needed, uint32_t *slot_of)
{
    const em3d_graph_params *p = &g->params;
    em3d_graph_side *side = &g->sides[kind], *other = &g->sides[1 - kind];
    const size_t edges = (size_t)p->own * p->degree;
    other->weights = malloc(edges * sizeof *other->weights);
    other->slots = malloc(edges * sizeof *other->slots);
    if (other->weights == NULL || other->slots == NULL)
        return false;
    for (uint32_t rank = 0; rank < p->ranks; rank++) {
        const uint64_t remote = mark_needed(p, kind, rank, needed);
        side->ghosts_of[rank] = count_marked(needed, 0, (size_t)p->ranks * p->own);
        if (rank != g->rank) {
            if (!note_sends(g, side, rank, needed))
                return false;
            continue;
        }
        g->remote_edges += remote;
        if (!note_ghosts(g, side, needed, slot_of))
            return false;
    }
    fill_edges(p, 1 - kind, g->rank, slot_of, other->weights, other->slots);
    return true;
}

bool em3d_graph_create(const em3d_graph_params *params, uint32_t rank, em3d_graph *graph_out)
{
    const size_t nodes = (size_t)params->ranks * params->own;
    uint8_t *needed = malloc(nodes);
    uint32_t *slot_of = calloc(nodes, sizeof *slot_of);
    *graph_out = (em3d_graph){.params = *params, .rank = rank};
    bool ok = needed != NULL && slot_of != NULL;
    for (uint32_t kind = 0; ok && kind < EM3D_KINDS; kind++)
        ok = create_side(graph_out, kind, needed, slot_of);
    free(needed);
    free(slot_of);
    return ok;
}

void em3d_graph_destroy(em3d_graph *graph)
{
    for (uint32_t kind = 0; kind < EM3D_KINDS; kind++) {
        em3d_graph_side *side = &graph->sides[kind];
        free(side->weights);
        free(side->slots);
        free(side->ghosts);
        for (uint32_t rank = 0; rank < EM3D_RANKS_MAX; rank++)
            free(side->sends[rank].nodes);
    }
    *graph = (em3d_graph){.rank = 0};
}

/* --- one process ------------------------------------------------------------------------- */

bool em3d_graph_run_serial(const em3d_graph_params *params, uint32_t steps,
                           double *values_out[EM3D_KINDS])
{
    const uint32_t nodes = params->ranks * params->own;
    const size_t edges = (size_t)params->own * params->degree, all = edges * params->ranks;
    double *weights = malloc(EM3D_KINDS * all * sizeof *weights);
    uint32_t *slots = malloc(EM3D_KINDS * all * sizeof *slots);
    const bool ok = weights != NULL && slots != NULL;
    for (uint32_t kind = 0; ok && kind < EM3D_KINDS; kind++) {
        for (uint32_t rank = 0; rank < params->ranks; rank++) {
            const size_t at = kind * all + rank * edges;
            fill_edges(params, kind, rank, NULL, weights + at, slots + at);
            for (uint32_t node = 0; node < params->own; node++)
                values_out[kind][rank * params->own + node] =
                    em3d_graph_initial(params, kind, rank, node);
        }
    }
    for (uint32_t phase = 0; ok && phase < EM3D_KINDS * steps; phase++) {
        const uint32_t kind = phase % EM3D_KINDS;
        em3d_graph_update(values_out[kind], nodes, params->degree, weights + kind * all,
                          slots + kind * all, values_out[1 - kind]);
    }
    free(weights);
    free(slots);
    return ok;
}
