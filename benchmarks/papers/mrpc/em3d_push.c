/* EM3D, bulk: before a phase, each rank sends each other one the values that it needs of it.
 *
 * Every rank sends something to every other one, even if that needs no value. So a rank is a
 * phase ahead at most: it has the others' values of a phase only when they have done the one
 * before, and with it all reading of the ghosts that its next values go to. No barrier is
 * needed if a rank notices when values are there: a function notes it when it has
 * stored them, and for windows a word is put behind them (`signal`). The versions `bulk` for
 * windows have a barrier instead, and each of their puts has taken effect before it. */
#include "em3d_version.h"
#include "mrpc_exchange.h"

#include <tc/window_rows.h>

#define PIECE_MAX 65536u /* values of one message */

/* Sends one other rank all values that it needs of this one. */
typedef bool (*sender)(em3d_rank *r, uint32_t peer, uint32_t kind);

/* The next rank first, so that not all send to one. */
static inline bool send_to_all(em3d_rank *r, uint32_t kind, sender send)
{
    r->base.exchange++;
    for (uint32_t i = 1; i < r->base.ranks; i++) {
        if (!send(r, (r->base.rank + i) % r->base.ranks, kind))
            return false;
    }
    return true;
}

/* --- windows ----------------------------------------------------------------------------- */

static void gather(em3d_rank *r, const em3d_graph_sends *sends, uint32_t kind,
                   double *values_out)
{
    const double *values = r->share.values[kind];
    const mrpc_part before = mrpc_stamps_enter(&r->base.stamps, MRPC_COPY);
    for (uint32_t i = 0; i < sends->count; i++)
        values_out[i] = values[sends->nodes[i]];
    (void)mrpc_stamps_enter(&r->base.stamps, before);
}

static tc_gptr ghosts_at(const em3d_rank *r, uint32_t peer, uint32_t kind)
{
    const uint32_t first = r->share.own + r->graph.sides[kind].sends[peer].first;
    return mrpc_rank_at(&r->base, peer, em3d_rank_value_offset(r, peer, kind, first));
}

/* Values that no single message takes are put in several. */
static bool put_rows(em3d_rank *r, uint32_t peer, uint32_t kind, uint64_t bytes)
{
    const tc_window_rows rows = {
        .at = ghosts_at(r, peer, kind), .bytes = bytes, .count = 1, .memory = r->packed};
    tc_error err = {TC_OK, ""};
    return mrpc_rank_check(
        tc_window_put_rows(r->base.peers[peer].ep, &rows, MRPC_TIMEOUT_NS, &err), &err, "put");
}

static inline bool put(em3d_rank *r, uint32_t peer, uint32_t kind, bool signal)
{
    const em3d_graph_sends *sends = &r->graph.sides[kind].sends[peer];
    const uint64_t bytes = sends->count * sizeof(double), exchange = r->base.exchange;
    const bool large = bytes + sizeof exchange > TC_WINDOW_BYTES_MAX;
    tc_window_step steps[2];
    size_t count = 0;
    gather(r, sends, kind, r->packed);
    if (large && !put_rows(r, peer, kind, bytes))
        return false;
    if (bytes > 0 && !large)
        steps[count++] = tc_window_step_put(ghosts_at(r, peer, kind), r->packed, bytes);
    if (signal)
        steps[count++] = tc_window_step_put(mrpc_exchange_arrived_at(&r->base, peer), &exchange,
                                            sizeof exchange);
    return count == 0 || mrpc_exchange_chain(&r->base, peer, steps, count);
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
    return send_to_all(r, 1 - kind, put_values) && mrpc_exchange_end(&r->base) &&
           mrpc_rank_barrier(&r->base) && em3d_rank_update(r, kind);
}

bool em3d_push_window_signal(em3d_rank *r, uint32_t kind)
{
    return send_to_all(r, 1 - kind, put_values_signal) &&
           mrpc_exchange_await_messages(&r->base) && em3d_rank_update(r, kind);
}

/* --- views ------------------------------------------------------------------------------- */

/* Gathers right into the other process's memory. */
static bool store_values(em3d_rank *r, uint32_t peer, uint32_t kind)
{
    const em3d_graph_sends *sends = &r->graph.sides[kind].sends[peer];
    double *ghosts =
        tc_window_view_at(r->base.peers[peer].view, ghosts_at(r, peer, kind).offset,
                          sends->count * sizeof(double));
    if (ghosts == NULL)
        return mrpc_rank_fail("ghosts outside the window");
    gather(r, sends, kind, ghosts);
    return true;
}

static bool store_values_signal(em3d_rank *r, uint32_t peer, uint32_t kind)
{
    return store_values(r, peer, kind) &&
           mrpc_exchange_signal(&r->base, peer, r->base.exchange);
}

bool em3d_push_view_bulk(em3d_rank *r, uint32_t kind)
{
    return send_to_all(r, 1 - kind, store_values) && mrpc_rank_barrier(&r->base) &&
           em3d_rank_update(r, kind);
}

bool em3d_push_view_signal(em3d_rank *r, uint32_t kind)
{
    return send_to_all(r, 1 - kind, store_values_signal) &&
           mrpc_exchange_await_stores(&r->base) && em3d_rank_update(r, kind);
}

/* --- functions --------------------------------------------------------------------------- */

static bool send_values(em3d_rank *r, uint32_t peer, uint32_t kind)
{
    const em3d_graph_sends *sends = &r->graph.sides[kind].sends[peer];
    em3d_store_source source = {.head = {.exchange = r->base.exchange, .kind = kind},
                                .values = r->share.values[kind]};
    uint32_t sent = 0;
    bool ok = true;
    while (ok && !source.head.is_last) {
        const uint32_t left = sends->count - sent;
        source.nodes = sends->nodes + sent;
        source.head.first = sends->first + sent;
        source.head.count = left < PIECE_MAX ? left : PIECE_MAX;
        source.head.is_last = left <= PIECE_MAX;
        ok = mrpc_exchange_send(&r->base, peer, r->store, &source, sizeof source);
        sent += source.head.count;
    }
    return ok;
}

bool em3d_push_function_bulk(em3d_rank *r, uint32_t kind)
{
    return send_to_all(r, 1 - kind, send_values) && mrpc_exchange_await_messages(&r->base) &&
           em3d_rank_update(r, kind);
}
