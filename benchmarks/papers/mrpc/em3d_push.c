/* EM3D, bulk: before a phase, each rank sends each other one the values that it needs of it.
 *
 * Every rank sends something to every other one, even if that needs no value. So a rank is a
 * phase ahead at most: it has the others' values of a phase only when they have done the one
 * before, and with it all reading of the ghosts that its next values go to. No barrier is
 * needed if a rank notices when values are there: a function notes it when it has
 * stored them, and for windows a word is put behind them (`signal`). The versions `bulk` for
 * windows have a barrier instead, and each of their puts has taken effect before it. */
#include "em3d_version.h"

#include "perf_clock.h"

#include <sched.h>
#include <stdio.h>
#include <tc/window_rows.h>

#define PIECE_MAX 65536u /* values of one message */
#define TURNS_BEFORE_YIELD 1000u

/* Sends one other rank all values that it needs of this one. */
typedef bool (*sender)(em3d_rank *r, uint32_t peer, uint32_t kind);

/* The next rank first, so that not all send to one. */
static inline bool send_to_all(em3d_rank *r, uint32_t kind, sender send)
{
    r->phase++;
    for (uint32_t i = 1; i < r->ranks; i++) {
        if (!send(r, (r->rank + i) % r->ranks, kind))
            return false;
    }
    return true;
}

/* --- until the values of a phase are here ------------------------------------------------- */

static bool has_arrived(const em3d_rank *r, uint32_t peer)
{
    return peer == r->rank ||
           __atomic_load_n(&r->share.arrived[peer], __ATOMIC_ACQUIRE) >= r->phase;
}

static bool late(uint32_t peer)
{
    fprintf(stderr, "em3d: no values of rank %u came in time\n", peer);
    return false;
}

/* Values come by messages. */
static bool await_messages(em3d_rank *r)
{
    for (uint32_t peer = 0; peer < r->ranks; peer++) {
        while (!has_arrived(r, peer)) {
            if (tc_wait(r->ctx, EM3D_TIMEOUT_NS) != TC_OK)
                return late(peer);
        }
    }
    return true;
}

/* Values come by stores of other processes, so tc_wait would not end. */
static bool await_stores(em3d_rank *r)
{
    const uint64_t end_ns = perf_now_ns() + EM3D_TIMEOUT_NS;
    for (uint32_t peer = 0; peer < r->ranks; peer++) {
        for (uint64_t turn = 1; !has_arrived(r, peer); turn++) {
            if (turn % TURNS_BEFORE_YIELD != 0)
                continue;
            if (perf_now_ns() > end_ns)
                return late(peer);
            (void)tc_progress(r->ctx);
            (void)sched_yield();
        }
    }
    return true;
}

/* --- windows ----------------------------------------------------------------------------- */

static void gather(const em3d_rank *r, const em3d_graph_sends *sends, uint32_t kind,
                   double *values_out)
{
    const double *values = r->share.values[kind];
    for (uint32_t i = 0; i < sends->count; i++)
        values_out[i] = values[sends->nodes[i]];
}

static tc_gptr ghosts_at(const em3d_rank *r, uint32_t peer, uint32_t kind)
{
    tc_gptr at = r->peers[peer].window;
    at.offset = em3d_rank_value_offset(r, peer, kind,
                                       r->share.own + r->graph.sides[kind].sends[peer].first);
    return at;
}

static tc_gptr arrived_at(const em3d_rank *r, uint32_t peer)
{
    tc_gptr at = r->peers[peer].window;
    at.offset = em3d_rank_arrived_offset(r->rank);
    return at;
}

static void put_ended(void *user, tc_status status, uint32_t succeeded, const char *text)
{
    em3d_rank *r = user;
    (void)succeeded, (void)text;
    if (r->ghost_end == TC_OK)
        r->ghost_end = status;
}

/* Starts a chain, which is one message. */
static bool start_puts(em3d_rank *r, uint32_t peer, const tc_window_step *steps, size_t count)
{
    const tc_window_start_params params = {
        .timeout_ns = EM3D_TIMEOUT_NS, .done = put_ended, .user = r};
    tc_error err = {TC_OK, ""};
    tc_status status;
    while ((status = tc_window_chain_start(r->peers[peer].ep, steps, count, &params, &err)) ==
           TC_E_AGAIN) {
        if (tc_wait(r->ctx, EM3D_TIMEOUT_NS) != TC_OK)
            break;
    }
    return em3d_rank_check(status, &err, "put");
}

/* Values that no single message takes are put in several. */
static bool put_rows(em3d_rank *r, uint32_t peer, uint32_t kind, uint64_t bytes)
{
    const tc_window_rows rows = {
        .at = ghosts_at(r, peer, kind), .bytes = bytes, .count = 1, .memory = r->packed};
    tc_error err = {TC_OK, ""};
    return em3d_rank_check(tc_window_put_rows(r->peers[peer].ep, &rows, EM3D_TIMEOUT_NS, &err),
                           &err, "put");
}

static inline bool put(em3d_rank *r, uint32_t peer, uint32_t kind, bool signal)
{
    const em3d_graph_sends *sends = &r->graph.sides[kind].sends[peer];
    const uint64_t bytes = sends->count * sizeof(double), phase = r->phase;
    const bool large = bytes + sizeof phase > TC_WINDOW_BYTES_MAX;
    tc_window_step steps[2];
    size_t count = 0;
    gather(r, sends, kind, r->packed);
    if (large && !put_rows(r, peer, kind, bytes))
        return false;
    if (bytes > 0 && !large)
        steps[count++] = tc_window_step_put(ghosts_at(r, peer, kind), r->packed, bytes);
    if (signal)
        steps[count++] = tc_window_step_put(arrived_at(r, peer), &phase, sizeof phase);
    return count == 0 || start_puts(r, peer, steps, count);
}

static bool put_values(em3d_rank *r, uint32_t peer, uint32_t kind)
{
    return put(r, peer, kind, false);
}

static bool put_values_signal(em3d_rank *r, uint32_t peer, uint32_t kind)
{
    return put(r, peer, kind, true);
}

bool em3d_push_window_bulk(em3d_rank *r, uint32_t kind)
{
    tc_error err = {TC_OK, ""};
    r->ghost_end = TC_OK;
    return send_to_all(r, 1 - kind, put_values) &&
           em3d_rank_check(tc_calls_wait(r->ctx, EM3D_TIMEOUT_NS), &err, "puts") &&
           em3d_rank_check(r->ghost_end, &err, "puts") && em3d_rank_barrier(r) &&
           em3d_rank_update(r, kind);
}

bool em3d_push_window_signal(em3d_rank *r, uint32_t kind)
{
    return send_to_all(r, 1 - kind, put_values_signal) && await_messages(r) &&
           em3d_rank_update(r, kind);
}

/* --- views ------------------------------------------------------------------------------- */

/* Gathers right into the other process's memory. */
static bool store_values(em3d_rank *r, uint32_t peer, uint32_t kind)
{
    const em3d_graph_sends *sends = &r->graph.sides[kind].sends[peer];
    double *ghosts = tc_window_view_at(r->peers[peer].view, ghosts_at(r, peer, kind).offset,
                                       sends->count * sizeof(double));
    if (ghosts == NULL) {
        fprintf(stderr, "em3d: ghosts outside the window\n");
        return false;
    }
    gather(r, sends, kind, ghosts);
    return true;
}

static bool store_values_signal(em3d_rank *r, uint32_t peer, uint32_t kind)
{
    const tc_error err = {TC_OK, ""};
    return store_values(r, peer, kind) &&
           em3d_rank_check(
               tc_window_view_put(r->peers[peer].view, arrived_at(r, peer).offset, r->phase),
               &err, "put");
}

bool em3d_push_view_bulk(em3d_rank *r, uint32_t kind)
{
    return send_to_all(r, 1 - kind, store_values) && em3d_rank_barrier(r) &&
           em3d_rank_update(r, kind);
}

bool em3d_push_view_signal(em3d_rank *r, uint32_t kind)
{
    return send_to_all(r, 1 - kind, store_values_signal) && await_stores(r) &&
           em3d_rank_update(r, kind);
}

/* --- functions --------------------------------------------------------------------------- */

static bool send_values(em3d_rank *r, uint32_t peer, uint32_t kind)
{
    const em3d_graph_sends *sends = &r->graph.sides[kind].sends[peer];
    em3d_store_source source = {.head = {.phase = r->phase, .kind = kind},
                                .values = r->share.values[kind]};
    uint32_t sent = 0;
    tc_status status = TC_OK;
    while (status == TC_OK && !source.head.is_last) {
        const uint32_t left = sends->count - sent;
        source.nodes = sends->nodes + sent;
        source.head.first = sends->first + sent;
        source.head.count = left < PIECE_MAX ? left : PIECE_MAX;
        source.head.is_last = left <= PIECE_MAX;
        while ((status = tc_send(r->peers[peer].ep, r->store, &source, sizeof source)) ==
               TC_E_AGAIN) {
            if (tc_wait(r->ctx, EM3D_TIMEOUT_NS) != TC_OK)
                break;
        }
        sent += source.head.count;
    }
    if (status != TC_OK)
        fprintf(stderr, "em3d: em3d_store: %s\n", tc_status_text(status));
    return status == TC_OK;
}

bool em3d_push_function_bulk(em3d_rank *r, uint32_t kind)
{
    return send_to_all(r, 1 - kind, send_values) && await_messages(r) &&
           em3d_rank_update(r, kind);
}
