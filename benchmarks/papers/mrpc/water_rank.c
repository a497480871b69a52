#include "water_rank.h"
#include "mrpc_exchange.h"

#include <string.h>

uint64_t water_rank_positions_offset(void)
{
    return mrpc_rank_own_offset();
}

uint64_t water_rank_forces_offset(const water_rank *r)
{
    return water_rank_positions_offset() + r->widest * sizeof(water_positions);
}

uint64_t water_rank_parts_offset(const water_rank *r, uint32_t from)
{
    return water_rank_forces_offset(r) +
           (uint64_t)(from + 1) * r->widest * sizeof(water_forces);
}

static uint64_t position_offset(uint32_t molecule)
{
    return water_rank_positions_offset() + molecule * sizeof(water_positions);
}

static uint64_t force_offset(const water_rank *r, uint32_t molecule)
{
    return water_rank_forces_offset(r) + molecule * sizeof(water_forces);
}

/* The owner adds the sums that others have put into its window. */
static bool add_parts(water_rank *r)
{
    const mrpc_part before = mrpc_stamps_enter(&r->base.stamps, MRPC_COPY);
    for (uint32_t from = 0; from < r->base.ranks; from++) {
        const water_forces *part = r->parts + (size_t)from * r->widest;
        for (uint32_t i = 0; from != r->base.rank && i < r->share.own; i++) {
            for (uint32_t k = 0; k < WATER_NUMBERS; k++)
                r->share.forces[i].on[k] += part[i].on[k];
        }
    }
    (void)mrpc_stamps_enter(&r->base.stamps, before);
    return true;
}

/* --- windows ----------------------------------------------------------------------------- */

static bool get_positions(water_rank *r, uint32_t peer, uint32_t first, uint32_t count,
                          water_positions *positions_out)
{
    return mrpc_exchange_get(&r->base, peer, position_offset(first), positions_out,
                             count * sizeof *positions_out);
}

/* A chain is done in one go, so a molecule's sums are never seen in part. */
static bool fetch_add(water_rank *r, uint32_t peer, uint32_t molecule,
                      const water_forces *forces)
{
    tc_window_step steps[WATER_NUMBERS];
    for (uint32_t k = 0; k < WATER_NUMBERS; k++)
        steps[k] = tc_window_step_fetch_add(
            mrpc_rank_at(&r->base, peer, force_offset(r, molecule) + k * sizeof(int64_t)),
            (uint64_t)forces->on[k], NULL);
    return mrpc_exchange_chain(&r->base, peer, steps, WATER_NUMBERS);
}

static bool put_part(water_rank *r, uint32_t peer, const water_forces *forces, uint32_t count)
{
    const tc_window_step step = tc_window_step_put(
        mrpc_rank_at(&r->base, peer, water_rank_parts_offset(r, r->base.rank)), forces,
        count * sizeof *forces);
    return mrpc_exchange_chain(&r->base, peer, &step, 1);
}

static bool end_chains(water_rank *r)
{
    return mrpc_exchange_end(&r->base) && mrpc_rank_barrier(&r->base);
}

static bool end_puts(water_rank *r)
{
    return end_chains(r) && add_parts(r);
}

const water_way water_rank_window = {get_positions, fetch_add, put_part, end_chains, end_puts};

/* --- views ------------------------------------------------------------------------------- */

static bool load_positions(water_rank *r, uint32_t peer, uint32_t first, uint32_t count,
                           water_positions *positions_out)
{
    const uint64_t bytes = count * sizeof *positions_out;
    const void *at = tc_window_view_at(r->base.peers[peer].view, position_offset(first), bytes);
    if (at == NULL)
        return mrpc_rank_fail("positions outside the window");
    memcpy(positions_out, at, bytes);
    return true;
}

static bool view_add(water_rank *r, uint32_t peer, uint32_t molecule,
                     const water_forces *forces)
{
    const tc_window_view *view = r->base.peers[peer].view;
    const mrpc_part before = mrpc_stamps_enter(&r->base.stamps, MRPC_COPY);
    for (uint32_t k = 0; k < WATER_NUMBERS; k++) {
        uint64_t old;
        if (tc_window_view_fetch_add(view, force_offset(r, molecule) + k * sizeof(int64_t),
                                     (uint64_t)forces->on[k], &old) != TC_OK)
            return mrpc_rank_fail("a force outside the window");
    }
    (void)mrpc_stamps_enter(&r->base.stamps, before);
    return true;
}

static bool store_part(water_rank *r, uint32_t peer, const water_forces *forces, uint32_t count)
{
    void *part =
        tc_window_view_at(r->base.peers[peer].view, water_rank_parts_offset(r, r->base.rank),
                          count * sizeof *forces);
    if (part == NULL)
        return mrpc_rank_fail("forces outside the window");
    const mrpc_part before = mrpc_stamps_enter(&r->base.stamps, MRPC_COPY);
    memcpy(part, forces, count * sizeof *forces);
    (void)mrpc_stamps_enter(&r->base.stamps, before);
    return true;
}

static bool end_atomics(water_rank *r)
{
    return mrpc_rank_barrier(&r->base);
}

static bool end_stores(water_rank *r)
{
    return mrpc_rank_barrier(&r->base) && add_parts(r);
}

const water_way water_rank_view = {load_positions, view_add, store_part, end_atomics,
                                   end_stores};

/* --- functions --------------------------------------------------------------------------- */

static bool call_positions(water_rank *r, uint32_t peer, uint32_t first, uint32_t count,
                           water_positions *positions_out)
{
    const water_question question = {first, count};
    return mrpc_exchange_ask(&r->base, peer, r->read, &question, sizeof question, positions_out,
                             count * sizeof *positions_out);
}

static bool send_forces(water_rank *r, uint32_t peer, const water_head *head,
                        const water_forces *forces)
{
    water_source source = {.head = *head, .forces = forces};
    return mrpc_exchange_send(&r->base, peer, r->add, &source, sizeof source);
}

static bool send_one(water_rank *r, uint32_t peer, uint32_t molecule,
                     const water_forces *forces)
{
    const water_head head = {.first = molecule, .count = 1};
    return send_forces(r, peer, &head, forces);
}

static bool send_all(water_rank *r, uint32_t peer, const water_forces *forces, uint32_t count)
{
    const water_head head = {.count = count, .mark = r->base.exchange};
    return send_forces(r, peer, &head, forces);
}

static bool end_all_messages(water_rank *r)
{
    return mrpc_exchange_await_messages(&r->base);
}

/* Messages of a rank stay in order, so all of its forces were added before its mark. */
static bool end_messages(water_rank *r)
{
    for (uint32_t i = 1; i < r->base.ranks; i++) {
        if (!send_all(r, (r->base.rank + i) % r->base.ranks, NULL, 0))
            return false;
    }
    return end_all_messages(r);
}

const water_way water_rank_function = {call_positions, send_one, send_all, end_messages,
                                       end_all_messages};
