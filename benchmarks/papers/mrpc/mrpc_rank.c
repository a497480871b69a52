#include "mrpc_rank.h"

#include "word_trips.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define WORD_STRIDE 8u /* a cache line */

bool mrpc_rank_fail(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fprintf(stderr, "%s: ", program_invocation_short_name);
    (void)vfprintf(stderr, format, args);
    (void)fputc('\n', stderr);
    va_end(args);
    return false;
}

bool mrpc_rank_check(tc_status status, const tc_error *err, const char *what)
{
    return status == TC_OK ||
           mrpc_rank_fail("%s: %s: %s", what, tc_status_name(status), err->text);
}

bool mrpc_rank_has_memory(bool enough)
{
    return enough || mrpc_rank_fail("no memory");
}

bool mrpc_rank_barrier(mrpc_rank *r)
{
    tc_error err = {TC_OK, ""};
    const mrpc_part before = mrpc_stamps_enter(&r->stamps, MRPC_BARRIER);
    const tc_status status = tc_group_barrier(r->group, MRPC_TIMEOUT_NS, &err);
    (void)mrpc_stamps_enter(&r->stamps, before);
    return mrpc_rank_check(status, &err, "barrier");
}

/* --- the window: words, exchanges that have arrived, the application's own ---------------- */

static uint64_t word_offset(mrpc_word word)
{
    return word * WORD_STRIDE * sizeof(uint64_t);
}

uint64_t mrpc_rank_arrived_offset(uint32_t from)
{
    return word_offset(MRPC_WORDS) + from * sizeof(uint64_t);
}

uint64_t mrpc_rank_own_offset(void)
{
    return mrpc_rank_arrived_offset(MRPC_RANKS_MAX);
}

void *mrpc_rank_own(const mrpc_rank *r)
{
    return (char *)r->words + mrpc_rank_own_offset();
}

/* Memory that peers can map, or else any. */
static bool open_window(mrpc_rank *r, uint64_t bytes)
{
    tc_error err = {TC_OK, ""};
    tc_window_params params = {.bytes = mrpc_rank_own_offset() + bytes,
                               .rights = TC_WINDOW_READ | TC_WINDOW_WRITE | TC_WINDOW_ATOMIC,
                               .group = r->group,
                               .shared = 1};
    if (tc_window_open(r->ctx, &params, &r->share->window, &err) == TC_OK) {
        r->words = tc_window_memory(r->ctx, r->share->window);
        return true;
    }
    params.shared = 0;
    params.memory = r->memory = calloc(1, params.bytes);
    r->words = r->memory;
    return mrpc_rank_has_memory(r->memory != NULL) &&
           mrpc_rank_check(tc_window_open(r->ctx, &params, &r->share->window, &err), &err,
                           "window");
}

/* --- peers ------------------------------------------------------------------------------- */

bool mrpc_rank_open_function(mrpc_rank *r, const char *name, tc_ifunc **fn_out)
{
    tc_error err = {TC_OK, ""};
    return mrpc_rank_check(tc_ifunc_open(r->ctx, name, fn_out, &err), &err, name);
}

static bool meet_peer(mrpc_rank *r, uint32_t peer)
{
    tc_error err = {TC_OK, ""};
    mrpc_peer *p = &r->peers[peer];
    size_t size = sizeof p->window;
    return mrpc_rank_check(tc_group_ep(r->group, peer, &p->ep, &err), &err, "endpoint") &&
           mrpc_rank_check(
               tc_call(p->ep, r->where, NULL, 0, &p->window, &size, MRPC_TIMEOUT_NS, &err),
               &err, "mrpc_where");
}

/* Views are used if every rank has all of them. */
static bool map_peers(mrpc_rank *r)
{
    tc_error err = {TC_OK, ""};
    const tc_gptr word = tc_gptr_add(r->rank == 0 ? r->share->window : r->peers[0].window,
                                     word_offset(MRPC_WORD_UNMAPPED));
    uint64_t unmapped = 0;
    tc_ep *first = NULL;
    for (uint32_t peer = 0; peer < r->ranks; peer++) {
        mrpc_peer *p = &r->peers[peer];
        if (peer != r->rank &&
            tc_window_map(p->ep, p->window, MRPC_TIMEOUT_NS, &p->view, &err) != TC_OK)
            unmapped = 1;
    }
    if (!mrpc_rank_check(tc_group_ep(r->group, 0, &first, &err), &err, "endpoint") ||
        !mrpc_rank_check(tc_window_fetch_add(first, word, unmapped, NULL, 0, &err), &err,
                         "fetch and add") ||
        !mrpc_rank_barrier(r) ||
        !mrpc_rank_check(tc_window_get(first, word, &unmapped, sizeof unmapped, 0, &err), &err,
                         "get"))
        return false;
    r->mapped = unmapped == 0;
    return true;
}

bool mrpc_rank_init(mrpc_rank *r, tc_context *ctx, tc_group *group)
{
    r->ctx = ctx;
    r->group = group;
    r->rank = tc_group_rank(group);
    r->ranks = tc_group_size(group);
    return (r->ranks >= 2 && r->ranks <= MRPC_RANKS_MAX) ||
           mrpc_rank_fail("%u ranks, expected 2 to %u ranks", r->ranks, MRPC_RANKS_MAX);
}

bool mrpc_rank_open(mrpc_rank *r, uint64_t bytes, mrpc_share *share, mrpc_rank_arranger arrange)
{
    r->share = share;
    share->rank = r->rank;
    share->ranks = r->ranks;
    share->stamps = &r->stamps;
    if (!open_window(r, bytes))
        return false;
    share->arrived = r->words + mrpc_rank_arrived_offset(0) / sizeof *r->words;
    arrange(r);
    tc_context_set_target_args(r->ctx, share);
    if (!mrpc_rank_open_function(r, "mrpc_where", &r->where) || !mrpc_rank_barrier(r))
        return false;
    for (uint32_t peer = 0; peer < r->ranks; peer++) {
        if (peer != r->rank && !meet_peer(r, peer))
            return false;
    }
    return map_peers(r);
}

void mrpc_rank_destroy(mrpc_rank *r)
{
    if (r->ctx == NULL)
        return;
    for (uint32_t peer = 0; peer < r->ranks && peer < MRPC_RANKS_MAX; peer++) {
        if (r->peers[peer].view != NULL)
            (void)tc_window_unmap(r->ctx, r->peers[peer].view);
    }
    tc_context_set_target_args(r->ctx, NULL);
    if (r->words != NULL)
        (void)tc_window_close(r->ctx, r->share->window);
    tc_ifunc_close(r->where);
    free(r->memory);
}

/* --- words ------------------------------------------------------------------------------- */

uint64_t mrpc_rank_word(const mrpc_rank *r, mrpc_word word)
{
    return __atomic_load_n(r->words + word * WORD_STRIDE, __ATOMIC_SEQ_CST);
}

void mrpc_rank_set_word(mrpc_rank *r, mrpc_word word, uint64_t value)
{
    __atomic_store_n(r->words + word * WORD_STRIDE, value, __ATOMIC_SEQ_CST);
}

bool mrpc_rank_get_word(mrpc_rank *r, uint32_t peer, mrpc_word word, uint64_t *value_out)
{
    tc_error err = {TC_OK, ""};
    return mrpc_rank_check(tc_window_get(r->peers[peer].ep,
                                         mrpc_rank_at(r, peer, word_offset(word)), value_out,
                                         sizeof *value_out, MRPC_TIMEOUT_NS, &err),
                           &err, "get");
}

bool mrpc_rank_add_word(mrpc_rank *r, mrpc_word word, uint64_t value)
{
    tc_error err = {TC_OK, ""};
    if (r->rank == 0) {
        (void)__atomic_fetch_add(r->words + word * WORD_STRIDE, value, __ATOMIC_SEQ_CST);
        return true;
    }
    return mrpc_rank_check(tc_window_fetch_add(r->peers[0].ep,
                                               mrpc_rank_at(r, 0, word_offset(word)), value,
                                               NULL, 0, &err),
                           &err, "fetch and add");
}

/* --- near or far ------------------------------------------------------------------------- */

bool mrpc_rank_measure_word(mrpc_rank *r, double *ns_out)
{
    uint64_t *words = r->rank == 0 || !r->mapped ? r->words : r->peers[0].view->memory;
    uint64_t *ping = words + MRPC_WORD_PING * WORD_STRIDE;
    uint64_t *pong = words + MRPC_WORD_PONG * WORD_STRIDE;
    const uint64_t begin = *(r->rank == 0 ? pong : ping);
    double ns = 0;
    *ns_out = 0;
    if (!mrpc_rank_barrier(r))
        return false;
    if (r->rank < 2 && r->mapped &&
        !word_trips_measure(ping, pong, begin, r->rank == 0, MRPC_TIMEOUT_NS, &ns)) {
        return mrpc_rank_fail("no word from the other rank");
    }
    if (r->rank == 0)
        *ns_out = ns;
    return mrpc_rank_barrier(r);
}
