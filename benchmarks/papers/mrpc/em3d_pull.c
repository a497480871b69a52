/* EM3D, base and ghost: ranks read the values that they need. A barrier ends each phase: its
 * results may be read from then on, and the values that it read may be changed. */
#include "em3d_version.h"

#include <stdio.h>
#include <string.h>

/* Reads the value of which a rank has that ghost. */
typedef bool (*reader)(em3d_rank *r, uint32_t kind, uint32_t ghost, double *value_out);

static bool read_window(em3d_rank *r, uint32_t kind, uint32_t ghost, double *value_out)
{
    const em3d_graph_node at = r->graph.sides[kind].ghosts[ghost];
    const em3d_peer *peer = &r->peers[at.rank];
    tc_gptr where = peer->window;
    tc_error err = {TC_OK, ""};
    where.offset = em3d_rank_value_offset(r, at.rank, kind, at.node);
    return em3d_rank_check(
        tc_window_get(peer->ep, where, value_out, sizeof *value_out, EM3D_TIMEOUT_NS, &err),
        &err, "get");
}

static inline bool read_view(em3d_rank *r, uint32_t kind, uint32_t ghost, double *value_out)
{
    const em3d_graph_node at = r->graph.sides[kind].ghosts[ghost];
    uint64_t bits;
    if (tc_window_view_get(r->peers[at.rank].view,
                           em3d_rank_value_offset(r, at.rank, kind, at.node), &bits) != TC_OK) {
        fprintf(stderr, "em3d: a value outside the window\n");
        return false;
    }
    memcpy(value_out, &bits, sizeof bits);
    return true;
}

static bool read_function(em3d_rank *r, uint32_t kind, uint32_t ghost, double *value_out)
{
    const em3d_graph_node at = r->graph.sides[kind].ghosts[ghost];
    const em3d_question question = {kind, at.node};
    tc_error err = {TC_OK, ""};
    size_t size = sizeof *value_out;
    return em3d_rank_check(tc_call(r->peers[at.rank].ep, r->read, &question, sizeof question,
                                   value_out, &size, EM3D_TIMEOUT_NS, &err),
                           &err, "em3d_read");
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
    return em3d_rank_barrier(r);
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

/* --- ghost: as many at a time as the connection takes ------------------------------------- */

static void note_end(em3d_rank *r, tc_status status)
{
    if (r->ghost_end == TC_OK)
        r->ghost_end = status;
}

static void get_ended(void *user, tc_status status, uint32_t succeeded, const char *text)
{
    (void)succeeded, (void)text;
    note_end(user, status);
}

static void call_ended(void *user, const tc_call_outcome *outcome)
{
    note_end(user, outcome->status == TC_OK && outcome->result_size != sizeof(double)
                       ? TC_E_CORRUPT
                       : outcome->status);
}

static tc_status start_get(em3d_rank *r, uint32_t kind, uint32_t ghost, tc_error *err)
{
    const em3d_graph_node at = r->graph.sides[kind].ghosts[ghost];
    const em3d_peer *peer = &r->peers[at.rank];
    const tc_window_start_params params = {
        .timeout_ns = EM3D_TIMEOUT_NS, .done = get_ended, .user = r};
    tc_gptr where = peer->window;
    where.offset = em3d_rank_value_offset(r, at.rank, kind, at.node);
    return tc_window_get_start(peer->ep, where, &r->share.values[kind][r->share.own + ghost],
                               sizeof(double), &params, err);
}

static tc_status start_call(em3d_rank *r, uint32_t kind, uint32_t ghost, tc_error *err)
{
    const em3d_graph_node at = r->graph.sides[kind].ghosts[ghost];
    const em3d_question question = {kind, at.node};
    const tc_call_params params = {.result = &r->share.values[kind][r->share.own + ghost],
                                   .result_capacity = sizeof(double),
                                   .timeout_ns = EM3D_TIMEOUT_NS,
                                   .done = call_ended,
                                   .user = r};
    return tc_call_start(r->peers[at.rank].ep, r->read, &question, sizeof question, &params,
                         NULL, err);
}

typedef tc_status (*starter)(em3d_rank *r, uint32_t kind, uint32_t ghost, tc_error *err);

static bool fetch_started(em3d_rank *r, uint32_t kind, starter start)
{
    tc_error err = {TC_OK, ""};
    r->ghost_end = TC_OK;
    for (uint32_t ghost = 0; ghost < r->share.ghosts[kind];) {
        tc_status status = start(r, kind, ghost, &err);
        if (status == TC_OK) {
            ghost++;
            continue;
        }
        if (status == TC_E_AGAIN)
            status = tc_wait(r->ctx, EM3D_TIMEOUT_NS);
        if (!em3d_rank_check(status, &err, "a ghost"))
            return false;
    }
    return em3d_rank_check(tc_calls_wait(r->ctx, EM3D_TIMEOUT_NS), &err, "ghosts") &&
           em3d_rank_check(r->ghost_end, &err, "ghosts");
}

static bool fetch_views(em3d_rank *r, uint32_t kind)
{
    double *ghosts = r->share.values[kind] + r->share.own;
    for (uint32_t ghost = 0; ghost < r->share.ghosts[kind]; ghost++) {
        if (!read_view(r, kind, ghost, &ghosts[ghost]))
            return false;
    }
    return true;
}

bool em3d_pull_window_ghost(em3d_rank *r, uint32_t kind)
{
    return fetch_started(r, 1 - kind, start_get) && em3d_rank_update(r, kind) &&
           em3d_rank_barrier(r);
}

bool em3d_pull_view_ghost(em3d_rank *r, uint32_t kind)
{
    return fetch_views(r, 1 - kind) && em3d_rank_update(r, kind) && em3d_rank_barrier(r);
}

bool em3d_pull_function_ghost(em3d_rank *r, uint32_t kind)
{
    return fetch_started(r, 1 - kind, start_call) && em3d_rank_update(r, kind) &&
           em3d_rank_barrier(r);
}
