#include "em3d_rank.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- the window: values of each kind ------------------------------------------------------ */

uint64_t em3d_rank_value_offset(const em3d_rank *r, uint32_t peer, uint32_t kind, uint32_t slot)
{
    uint64_t number = slot;
    if (kind > 0)
        number += r->graph.params.own + r->graph.sides[0].ghosts_of[peer];
    return mrpc_rank_own_offset() + number * sizeof(double);
}

static void arrange(mrpc_rank *base)
{
    em3d_rank *r = (em3d_rank *)base;
    char *bytes = (char *)base->words;
    r->share.own = r->graph.params.own;
    for (uint32_t kind = 0; kind < EM3D_KINDS; kind++) {
        r->share.ghosts[kind] = r->graph.sides[kind].ghosts_of[base->rank];
        r->share.values[kind] =
            (double *)(void *)(bytes + em3d_rank_value_offset(r, base->rank, kind, 0));
    }
}

static bool expect(em3d_rank *r)
{
    const em3d_graph_params *p = &r->graph.params;
    bool ok = true;
    for (uint32_t kind = 0; kind < EM3D_KINDS; kind++) {
        r->expected[kind] = malloc((size_t)p->ranks * p->own * sizeof *r->expected[kind]);
        ok = ok && r->expected[kind] != NULL;
    }
    return ok && em3d_graph_run_serial(p, (uint32_t)r->steps, r->expected);
}

bool em3d_rank_create(em3d_rank *r, const em3d_graph_params *params, uint64_t steps)
{
    mrpc_rank *base = &r->base;
    r->steps = steps;
    r->packed = malloc(params->own * sizeof *r->packed);
    if (!mrpc_rank_has_memory(r->packed != NULL &&
                              em3d_graph_create(params, base->rank, &r->graph) && expect(r)))
        return false;
    uint64_t values = EM3D_KINDS * params->own;
    for (uint32_t kind = 0; kind < EM3D_KINDS; kind++)
        values += r->graph.sides[kind].ghosts_of[base->rank];
    return mrpc_rank_open_function(base, "em3d_read", &r->read) &&
           mrpc_rank_open_function(base, "em3d_store", &r->store) &&
           mrpc_rank_open(base, values * sizeof(double), &r->share.base, arrange);
}

void em3d_rank_destroy(em3d_rank *r)
{
    mrpc_rank_destroy(&r->base);
    tc_ifunc_close(r->read);
    tc_ifunc_close(r->store);
    em3d_graph_destroy(&r->graph);
    free(r->packed);
    for (uint32_t kind = 0; kind < EM3D_KINDS; kind++)
        free(r->expected[kind]);
}

/* --- values ------------------------------------------------------------------------------ */

void em3d_rank_reset(em3d_rank *r)
{
    for (uint32_t kind = 0; kind < EM3D_KINDS; kind++) {
        double *values = r->share.values[kind];
        for (uint32_t node = 0; node < r->share.own; node++)
            values[node] = em3d_graph_initial(&r->graph.params, kind, r->base.rank, node);
        for (uint32_t ghost = 0; ghost < r->share.ghosts[kind]; ghost++)
            values[r->share.own + ghost] = (double)NAN;
    }
}

bool em3d_rank_update(em3d_rank *r, uint32_t kind)
{
    const em3d_graph_side *side = &r->graph.sides[kind];
    em3d_graph_update(r->share.values[kind], r->share.own, r->graph.params.degree,
                      side->weights, side->slots, r->share.values[1 - kind]);
    return true;
}

bool em3d_rank_is_right(const em3d_rank *r)
{
    const size_t own = r->share.own;
    bool same = true;
    for (uint32_t kind = 0; kind < EM3D_KINDS; kind++)
        same = same && memcmp(r->share.values[kind], r->expected[kind] + r->base.rank * own,
                              own * sizeof(double)) == 0;
    return same;
}
