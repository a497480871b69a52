/* EM3D, base and ghost: ranks read the values that they need. A barrier ends each phase: its
 * results may be read from then on, and the values that it read may be changed. */
#include "em3d_version.h"
#include "mrpc_exchange.h"

#include <string.h>

/* Reads the value of which a rank has that ghost. */
typedef bool (*reader)(em3d_rank *r, uint32_t kind, uint32_t ghost, double *value_out);

static bool read_window(em3d_rank *r, uint32_t kind, uint32_t ghost, double *value_out)
{
    const em3d_graph_node at = r->graph.sides[kind].ghosts[ghost];
    return mrpc_exchange_get(&r->base, at.rank,
                             em3d_rank_value_offset(r, at.rank, kind, at.node), value_out,
                             sizeof *value_out);
}

static inline bool read_view(em3d_rank *r, uint32_t kind, uint32_t ghost, double *value_out)
{
    const em3d_graph_node at = r->graph.sides[kind].ghosts[ghost];
    uint64_t bits;
    if (tc_window_view_get(r->base.peers[at.rank].view,
                           em3d_rank_value_offset(r, at.rank, kind, at.node), &bits) != TC_OK)
        return mrpc_rank_fail("a value outside the window");
    memcpy(value_out, &bits, sizeof bits);
    return true;
}

static bool read_function(em3d_rank *r, uint32_t kind, uint32_t ghost, double *value_out)
{
    const em3d_graph_node at = r->graph.sides[kind].ghosts[ghost];
    const em3d_question question = {kind, at.node};
    return mrpc_exchange_ask(&r->base, at.rank, r->read, &question, sizeof question, value_out,
                             sizeof *value_out);
}

static bool read_rpc(em3d_rank *r, uint32_t kind, uint32_t ghost, double *value_out)
{
    const em3d_graph_node at = r->graph.sides[kind].ghosts[ghost];
    const em3d_question question = {kind, at.node};
    return mrpc_rpc_call(&r->base, at.rank, &question, sizeof question, NULL, 0, value_out,
                         sizeof *value_out);
}

size_t em3d_pull_serve(void *state, const void *head, size_t head_size, const void *body,
                       size_t body_size, void *result_out)
{
    const em3d_rank *r = state;
    em3d_question question;
    (void)body, (void)body_size;
    if (head_size != sizeof question)
        return 0;
    memcpy(&question, head, sizeof question);
    if (question.kind >= EM3D_KINDS || question.node >= r->share.own)
        return 0;
    memcpy(result_out, &r->share.values[question.kind][question.node], sizeof(double));
    return sizeof(double);
}

/* --- base -------------------------------------------------------------------------------- */

/* The sums of em3d_graph_update, in the same order. */
static inline bool update_reading(em3d_rank *r, uint32_t kind, reader read)
{
    const em3d_graph_side *side = &r->graph.sides[kind];
    const uint32_t own = r->share.own, degree = r->graph.params.degree;
    const double *weights = side->weights, *in = r->share.values[1 - kind];
    const uint32_t *slots = side->slots;
    for (uint32_t node = 0; node < own; node++) {
        double sum = 0;
        for (uint32_t i = 0; i < degree; i++, weights++, slots++) {
            double value;
            if (*slots < own)
                value = in[*slots];
            else if (!read(r, 1 - kind, *slots - own, &value))
                return false;
            sum += *weights * value;
        }
        r->share.values[kind][node] = sum;
    }
    return mrpc_rank_barrier(&r->base);
}

bool em3d_pull_window_base(em3d_rank *r, uint32_t kind)
{
    return update_reading(r, kind, read_window);
}

bool em3d_pull_view_base(em3d_rank *r, uint32_t kind)
{
    return update_reading(r, kind, read_view);
}

bool em3d_pull_function_base(em3d_rank *r, uint32_t kind)
{
    return update_reading(r, kind, read_function);
}

bool em3d_pull_rpc_base(em3d_rank *r, uint32_t kind)
{
    return update_reading(r, kind, read_rpc);
}

/* --- ghost: as many at a time as the connection takes ------------------------------------- */

static bool start_get(em3d_rank *r, uint32_t kind, uint32_t ghost)
{
    const em3d_graph_node at = r->graph.sides[kind].ghosts[ghost];
    const uint64_t offset = em3d_rank_value_offset(r, at.rank, kind, at.node);
    const tc_window_step step =
        tc_window_step_get(mrpc_rank_at(&r->base, at.rank, offset),
                           &r->share.values[kind][r->share.own + ghost], sizeof(double));
    return mrpc_exchange_chain(&r->base, at.rank, &step, 1);
}

static bool start_call(em3d_rank *r, uint32_t kind, uint32_t ghost)
{
    const em3d_graph_node at = r->graph.sides[kind].ghosts[ghost];
    const em3d_question question = {kind, at.node};
    return mrpc_exchange_call(&r->base, at.rank, r->read, &question, sizeof question,
                              &r->share.values[kind][r->share.own + ghost], sizeof(double));
}

typedef bool (*starter)(em3d_rank *r, uint32_t kind, uint32_t ghost);

static bool fetch_started(em3d_rank *r, uint32_t kind, starter start)
{
    for (uint32_t ghost = 0; ghost < r->share.ghosts[kind]; ghost++) {
        if (!start(r, kind, ghost))
            return false;
    }
    return mrpc_exchange_end(&r->base);
}

static inline bool fetch_each(em3d_rank *r, uint32_t kind, reader read)
{
    double *ghosts = r->share.values[kind] + r->share.own;
    for (uint32_t ghost = 0; ghost < r->share.ghosts[kind]; ghost++) {
        if (!read(r, kind, ghost, &ghosts[ghost]))
            return false;
    }
    return true;
}

bool em3d_pull_window_ghost(em3d_rank *r, uint32_t kind)
{
    return fetch_started(r, 1 - kind, start_get) && em3d_rank_update(r, kind) &&
           mrpc_rank_barrier(&r->base);
}

bool em3d_pull_view_ghost(em3d_rank *r, uint32_t kind)
{
    const mrpc_part before = mrpc_stamps_enter(&r->base.stamps, MRPC_COPY);
    const bool ok = fetch_each(r, 1 - kind, read_view);
    (void)mrpc_stamps_enter(&r->base.stamps, before);
    return ok && em3d_rank_update(r, kind) && mrpc_rank_barrier(&r->base);
}

bool em3d_pull_function_ghost(em3d_rank *r, uint32_t kind)
{
    return fetch_started(r, 1 - kind, start_call) && em3d_rank_update(r, kind) &&
           mrpc_rank_barrier(&r->base);
}

bool em3d_pull_rpc_ghost(em3d_rank *r, uint32_t kind)
{
    return fetch_each(r, 1 - kind, read_rpc) && em3d_rank_update(r, kind) &&
           mrpc_rank_barrier(&r->base);
}
