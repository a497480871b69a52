#include "em3d_rank.h"

#include "perf_clock.h"
#include "perf_stats.h"

#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORD_STRIDE 8u /* a cache line */
#define WORD_TRIPS 2000u
#define TURNS_BEFORE_YIELD 1000u

bool em3d_rank_check(tc_status status, const tc_error *err, const char *what)
{
    if (status != TC_OK)
        fprintf(stderr, "em3d: %s: %s: %s\n", what, tc_status_name(status), err->text);
    return status == TC_OK;
}

bool em3d_rank_barrier(const em3d_rank *r)
{
    tc_error err = {TC_OK, ""};
    return em3d_rank_check(tc_group_barrier(r->group, EM3D_TIMEOUT_NS, &err), &err, "barrier");
}

static bool enough_memory(bool enough)
{
    if (!enough)
        fprintf(stderr, "em3d: no memory\n");
    return enough;
}

/* --- the window: words of all, phases that have arrived, values of each kind -------------- */

static uint64_t word_offset(em3d_word word)
{
    return word * WORD_STRIDE * sizeof(uint64_t);
}

uint64_t em3d_rank_arrived_offset(uint32_t from)
{
    return word_offset(EM3D_WORDS) + from * sizeof(uint64_t);
}

uint64_t em3d_rank_value_offset(const em3d_rank *r, uint32_t peer, uint32_t kind, uint32_t slot)
{
    uint64_t number = slot;
    if (kind > 0)
        number += r->graph.params.own + r->graph.sides[0].ghosts_of[peer];
    return em3d_rank_arrived_offset(EM3D_RANKS_MAX) + number * sizeof(double);
}

/* Memory that peers can map, or else any. */
static bool open_window(em3d_rank *r)
{
    tc_error err = {TC_OK, ""};
    tc_window_params params = {
        .bytes = em3d_rank_value_offset(r, r->rank, 1, r->share.own + r->share.ghosts[1]),
        .rights = TC_WINDOW_READ | TC_WINDOW_WRITE | TC_WINDOW_ATOMIC,
        .group = r->group,
        .shared = 1};
    if (tc_window_open(r->ctx, &params, &r->share.window, &err) == TC_OK) {
        r->words = tc_window_memory(r->ctx, r->share.window);
        return true;
    }
    params.shared = 0;
    params.memory = r->memory = calloc(1, params.bytes);
    r->words = r->memory;
    return enough_memory(r->memory != NULL) &&
           em3d_rank_check(tc_window_open(r->ctx, &params, &r->share.window, &err), &err,
                           "window");
}

static void describe_share(em3d_rank *r)
{
    char *bytes = (char *)r->words;
    r->share.arrived = (uint64_t *)(void *)(bytes + em3d_rank_arrived_offset(0));
    for (uint32_t kind = 0; kind < EM3D_KINDS; kind++)
        r->share.values[kind] =
            (double *)(void *)(bytes + em3d_rank_value_offset(r, r->rank, kind, 0));
    tc_context_set_target_args(r->ctx, &r->share);
}

/* --- peers ------------------------------------------------------------------------------- */

static bool open_function(em3d_rank *r, const char *name, tc_ifunc **fn_out)
{
    tc_error err = {TC_OK, ""};
    return em3d_rank_check(tc_ifunc_open(r->ctx, name, fn_out, &err), &err, name);
}

static bool meet_peer(em3d_rank *r, uint32_t peer)
{
    tc_error err = {TC_OK, ""};
    em3d_peer *p = &r->peers[peer];
    size_t size = sizeof p->window;
    return em3d_rank_check(tc_group_ep(r->group, peer, &p->ep, &err), &err, "endpoint") &&
           em3d_rank_check(
               tc_call(p->ep, r->where, NULL, 0, &p->window, &size, EM3D_TIMEOUT_NS, &err),
               &err, "em3d_where");
}

/* Views are used if every rank has all of them. */
static bool map_peers(em3d_rank *r)
{
    tc_error err = {TC_OK, ""};
    const tc_gptr word = tc_gptr_add(r->rank == 0 ? r->share.window : r->peers[0].window,
                                     word_offset(EM3D_WORD_UNMAPPED));
    uint64_t unmapped = 0;
    tc_ep *first = NULL;
    for (uint32_t peer = 0; peer < r->ranks; peer++) {
        em3d_peer *p = &r->peers[peer];
        if (peer != r->rank &&
            tc_window_map(p->ep, p->window, EM3D_TIMEOUT_NS, &p->view, &err) != TC_OK)
            unmapped = 1;
    }
    if (!em3d_rank_check(tc_group_ep(r->group, 0, &first, &err), &err, "endpoint") ||
        !em3d_rank_check(tc_window_fetch_add(first, word, unmapped, NULL, 0, &err), &err,
                         "fetch and add") ||
        !em3d_rank_barrier(r) ||
        !em3d_rank_check(tc_window_get(first, word, &unmapped, sizeof unmapped, 0, &err), &err,
                         "get"))
        return false;
    r->mapped = unmapped == 0;
    return true;
}

bool em3d_rank_create(tc_context *ctx, tc_group *group, const em3d_graph_params *params,
                      em3d_rank *rank_out)
{
    em3d_rank *r = rank_out;
    *r = (em3d_rank){.ctx = ctx,
                     .group = group,
                     .rank = tc_group_rank(group),
                     .ranks = tc_group_size(group)};
    if (!enough_memory(em3d_graph_create(params, r->rank, &r->graph)))
        return false;
    r->share.own = params->own;
    r->share.ranks = params->ranks;
    for (uint32_t kind = 0; kind < EM3D_KINDS; kind++)
        r->share.ghosts[kind] = r->graph.sides[kind].ghosts_of[r->rank];
    r->packed = malloc(params->own * sizeof *r->packed);
    if (!enough_memory(r->packed != NULL) || !open_window(r))
        return false;
    describe_share(r);
    if (!open_function(r, "em3d_where", &r->where) ||
        !open_function(r, "em3d_read", &r->read) ||
        !open_function(r, "em3d_store", &r->store) || !em3d_rank_barrier(r))
        return false;
    for (uint32_t peer = 0; peer < r->ranks; peer++) {
        if (peer != r->rank && !meet_peer(r, peer))
            return false;
    }
    return map_peers(r);
}

void em3d_rank_destroy(em3d_rank *r)
{
    if (r->ctx == NULL)
        return;
    for (uint32_t peer = 0; peer < r->ranks; peer++) {
        if (r->peers[peer].view != NULL)
            (void)tc_window_unmap(r->ctx, r->peers[peer].view);
    }
    tc_context_set_target_args(r->ctx, NULL);
    if (r->words != NULL)
        (void)tc_window_close(r->ctx, r->share.window);
    tc_ifunc_close(r->where);
    tc_ifunc_close(r->read);
    tc_ifunc_close(r->store);
    em3d_graph_destroy(&r->graph);
    free(r->memory);
    free(r->packed);
}

/* --- values ------------------------------------------------------------------------------ */

void em3d_rank_reset(em3d_rank *r)
{
    for (uint32_t kind = 0; kind < EM3D_KINDS; kind++) {
        double *values = r->share.values[kind];
        for (uint32_t node = 0; node < r->share.own; node++)
            values[node] = em3d_graph_initial(&r->graph.params, kind, r->rank, node);
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

uint64_t em3d_rank_wrong(const em3d_rank *r)
{
    return __atomic_load_n(r->words + EM3D_WORD_WRONG * WORD_STRIDE, __ATOMIC_SEQ_CST);
}

bool em3d_rank_compare(em3d_rank *r, double *const expected[EM3D_KINDS])
{
    tc_error err = {TC_OK, ""};
    const size_t own = r->share.own;
    const tc_gptr word = tc_gptr_add(r->rank == 0 ? r->share.window : r->peers[0].window,
                                     word_offset(EM3D_WORD_WRONG));
    bool same = true;
    for (uint32_t kind = 0; kind < EM3D_KINDS; kind++)
        same = same && memcmp(r->share.values[kind], expected[kind] + r->rank * own,
                              own * sizeof(double)) == 0;
    if (same)
        return true;
    if (r->rank == 0) {
        (void)__atomic_fetch_add(r->words + EM3D_WORD_WRONG * WORD_STRIDE, 1, __ATOMIC_SEQ_CST);
        return true;
    }
    return em3d_rank_check(tc_window_fetch_add(r->peers[0].ep, word, 1, NULL, 0, &err), &err,
                           "fetch and add");
}

/* --- near or far ------------------------------------------------------------------------- */

static bool await_word(const uint64_t *word, uint64_t value)
{
    const uint64_t end_ns = perf_now_ns() + EM3D_TIMEOUT_NS;
    for (uint64_t turn = 1; __atomic_load_n(word, __ATOMIC_ACQUIRE) != value; turn++) {
        if (turn % TURNS_BEFORE_YIELD != 0)
            continue;
        if (perf_now_ns() > end_ns) {
            fprintf(stderr, "em3d: no word from the other rank\n");
            return false;
        }
        (void)sched_yield();
    }
    return true;
}

bool em3d_rank_measure_word(em3d_rank *r, double *ns_out)
{
    uint64_t stamps[WORD_TRIPS + 1];
    uint64_t *words = r->rank == 0 || !r->mapped ? r->words : r->peers[0].view->memory;
    uint64_t *ping = words + EM3D_WORD_PING * WORD_STRIDE;
    uint64_t *pong = words + EM3D_WORD_PONG * WORD_STRIDE;
    const uint64_t begin = *(r->rank == 0 ? pong : ping);
    *ns_out = 0;
    if (!em3d_rank_barrier(r))
        return false;
    for (uint64_t trip = 0; trip < WORD_TRIPS && r->rank < 2 && r->mapped; trip++) {
        stamps[trip] = perf_ticks();
        if (r->rank == 0)
            __atomic_store_n(ping, begin + trip + 1, __ATOMIC_RELEASE);
        if (!await_word(r->rank == 0 ? pong : ping, begin + trip + 1))
            return false;
        if (r->rank == 1)
            __atomic_store_n(pong, begin + trip + 1, __ATOMIC_RELEASE);
    }
    stamps[WORD_TRIPS] = perf_ticks();
    if (r->rank == 0 && r->mapped)
        *ns_out = perf_stats_latency(stamps, WORD_TRIPS).p50_ns;
    return em3d_rank_barrier(r);
}
