#include "metg_rank.h"

#include "perf_clock.h"
#include "word_trips.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORD_STRIDE 8u /* a cache line */
#define BOX_ALIGNMENT 64u

bool metg_rank_check(tc_status status, const tc_error *err, const char *what)
{
    if (status != TC_OK)
        fprintf(stderr, "metg: %s: %s: %s\n", what, tc_status_name(status), err->text);
    return status == TC_OK;
}

bool metg_rank_barrier(const metg_rank *r)
{
    tc_error err = {TC_OK, ""};
    return metg_rank_check(tc_group_barrier(r->group, METG_TIMEOUT_NS, &err), &err, "barrier");
}

static bool enough_memory(bool enough)
{
    if (!enough)
        fprintf(stderr, "metg: no memory\n");
    return enough;
}

/* --- the window: words of all, then the inbox -------------------------------------------- */

static uint64_t word_offset(metg_word word)
{
    return word * WORD_STRIDE * sizeof(uint64_t);
}

/* As large as any pattern wants it. */
static void shape_inbox(metg_rank *r)
{
    const uint32_t own = r->params.width / r->ranks;
    const metg_graph_params largest = {METG_FFT, r->ranks, r->params.width};
    const uint64_t bytes = own * r->params.output_bytes;
    r->share.inbox =
        (metg_inbox){.box_bytes = (bytes + BOX_ALIGNMENT - 1) / BOX_ALIGNMENT * BOX_ALIGNMENT,
                     .output_bytes = r->params.output_bytes,
                     .own = own,
                     .ranks = r->ranks,
                     .last_slot = metg_graph_slots(&largest) - 1};
}

static uint64_t inbox_bytes(const metg_inbox *inbox)
{
    return (inbox->last_slot + 1) * inbox->ranks * inbox->box_bytes;
}

/* Memory that peers can map, or else any. */
static bool open_window(metg_rank *r)
{
    tc_error err = {TC_OK, ""};
    tc_window_params params = {.bytes = word_offset(METG_WORDS) + inbox_bytes(&r->share.inbox),
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
           metg_rank_check(tc_window_open(r->ctx, &params, &r->share.window, &err), &err,
                           "window");
}

/* --- peers ------------------------------------------------------------------------------- */

static bool open_function(metg_rank *r, const char *name, tc_ifunc **fn_out)
{
    tc_error err = {TC_OK, ""};
    return metg_rank_check(tc_ifunc_open(r->ctx, name, fn_out, &err), &err, name);
}

static bool meet_peer(metg_rank *r, uint32_t peer)
{
    tc_error err = {TC_OK, ""};
    metg_peer *p = &r->peers[peer];
    size_t size = sizeof p->window;
    return metg_rank_check(tc_group_ep(r->group, peer, &p->ep, &err), &err, "endpoint") &&
           metg_rank_check(
               tc_call(p->ep, r->where, NULL, 0, &p->window, &size, METG_TIMEOUT_NS, &err),
               &err, "metg_where");
}

/* Adds to a word of rank 0's window. Rank 0 needs no endpoint to itself for that, which it
 * would poll from then on. */
static bool add_at_first(metg_rank *r, metg_word word, uint64_t value)
{
    tc_error err = {TC_OK, ""};
    const tc_gptr at = tc_gptr_add(r->peers[0].window, word_offset(word));
    if (r->rank != 0)
        return metg_rank_check(
            tc_window_fetch_add(r->peers[0].ep, at, value, NULL, METG_TIMEOUT_NS, &err), &err,
            "fetch and add");
    (void)__atomic_fetch_add(r->words + word * WORD_STRIDE, value, __ATOMIC_SEQ_CST);
    return true;
}

static bool get_at_first(metg_rank *r, metg_word word, uint64_t *value_out)
{
    tc_error err = {TC_OK, ""};
    const tc_gptr at = tc_gptr_add(r->peers[0].window, word_offset(word));
    if (r->rank != 0)
        return metg_rank_check(tc_window_get(r->peers[0].ep, at, value_out, sizeof *value_out,
                                             METG_TIMEOUT_NS, &err),
                               &err, "get");
    *value_out = __atomic_load_n(r->words + word * WORD_STRIDE, __ATOMIC_SEQ_CST);
    return true;
}

/* Views are used if every rank has all of them. */
static bool map_peers(metg_rank *r)
{
    tc_error err = {TC_OK, ""};
    uint64_t unmapped = 0;
    for (uint32_t peer = 0; peer < r->ranks; peer++) {
        metg_peer *p = &r->peers[peer];
        if (peer != r->rank &&
            tc_window_map(p->ep, p->window, METG_TIMEOUT_NS, &p->view, &err) != TC_OK)
            unmapped = 1;
    }
    if (!add_at_first(r, METG_WORD_UNMAPPED, unmapped) || !metg_rank_barrier(r) ||
        !get_at_first(r, METG_WORD_UNMAPPED, &unmapped))
        return false;
    r->mapped = unmapped == 0;
    return true;
}

bool metg_rank_create(tc_context *ctx, tc_group *group, const metg_rank_params *params,
                      metg_rank *rank_out)
{
    metg_rank *r = rank_out;
    *r = (metg_rank){.ctx = ctx,
                     .group = group,
                     .rank = tc_group_rank(group),
                     .ranks = tc_group_size(group),
                     .params = *params};
    shape_inbox(r);
    for (unsigned i = 0; i < 2; i++) {
        r->outputs[i] = calloc(params->width / r->ranks, params->output_bytes);
        if (!enough_memory(r->outputs[i] != NULL))
            return false;
    }
    if (!open_window(r))
        return false;
    r->share.inbox.memory = (unsigned char *)r->words + word_offset(METG_WORDS);
    tc_context_set_target_args(ctx, &r->share);
    if (!open_function(r, "metg_where", &r->where) ||
        !open_function(r, "metg_inputs", &r->inputs) || !metg_rank_barrier(r))
        return false;
    for (uint32_t peer = 0; peer < r->ranks; peer++) {
        if (peer != r->rank && !meet_peer(r, peer))
            return false;
    }
    return map_peers(r);
}

void metg_rank_destroy(metg_rank *r)
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
    tc_ifunc_close(r->inputs);
    for (unsigned i = 0; i < 2; i++)
        free(r->outputs[i]);
    free(r->memory);
}

/* --- runs -------------------------------------------------------------------------------- */

void metg_rank_begin(metg_rank *r, const metg_graph *graph, uint32_t steps, uint64_t iterations,
                     uint64_t seed)
{
    r->graph = graph;
    r->steps = steps;
    r->iterations = iterations;
    r->seed = seed;
    r->is_wrong = false;
    memset(r->share.inbox.memory, 0, inbox_bytes(&r->share.inbox));
    for (unsigned i = 0; i < 2; i++)
        memset(r->outputs[i], 0, graph->own * r->params.output_bytes);
}

bool metg_rank_rest(uint64_t *end_ns, uint32_t peer)
{
    const uint64_t now_ns = perf_now_ns();
    *end_ns = *end_ns == 0 ? now_ns + METG_TIMEOUT_NS : *end_ns;
    if (now_ns > *end_ns) {
        fprintf(stderr, "metg: no outputs of rank %u came in time\n", peer);
        return false;
    }
    (void)sched_yield();
    return true;
}

uint64_t metg_rank_wrong(const metg_rank *r)
{
    return __atomic_load_n(r->words + METG_WORD_WRONG * WORD_STRIDE, __ATOMIC_SEQ_CST);
}

bool metg_rank_compare(metg_rank *r, const uint64_t *sums)
{
    const uint32_t last = r->steps - 1;
    bool is_wrong = r->is_wrong;
    for (uint32_t own = 0; own < r->graph->own; own++) {
        const metg_output *output = metg_rank_output(r, last, own);
        const uint32_t point = r->rank * r->graph->own + own;
        is_wrong = is_wrong || output->id != metg_id(last, point) || output->sum != sums[point];
    }
    return !is_wrong || add_at_first(r, METG_WORD_WRONG, 1);
}

/* --- near or far ------------------------------------------------------------------------- */

bool metg_rank_measure_word(metg_rank *r, double *ns_out)
{
    uint64_t *words = r->rank == 0 || !r->mapped ? r->words : r->peers[0].view->memory;
    uint64_t *ping = words + METG_WORD_PING * WORD_STRIDE;
    uint64_t *pong = words + METG_WORD_PONG * WORD_STRIDE;
    const uint64_t begin = *(r->rank == 0 ? pong : ping);
    double ns = 0;
    *ns_out = 0;
    if (!metg_rank_barrier(r))
        return false;
    if (r->rank < 2 && r->mapped &&
        !word_trips_measure(ping, pong, begin, r->rank == 0, METG_TIMEOUT_NS, &ns)) {
        fprintf(stderr, "metg: no word from the other rank\n");
        return false;
    }
    if (r->rank == 0)
        *ns_out = ns;
    return metg_rank_barrier(r);
}
