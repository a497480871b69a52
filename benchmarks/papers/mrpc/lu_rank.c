#include "lu_rank.h"
#include "mrpc_exchange.h"

#include <string.h>

static tc_gptr slot_at(const lu_rank *r, uint32_t peer, uint32_t slot)
{
    return mrpc_rank_at(&r->base, peer, mrpc_rank_own_offset() + slot * sizeof(lu_block));
}

/* --- windows ----------------------------------------------------------------------------- */

/* As many steps as a chain has, which is one message; the mark is the last one's last. */
static bool put_blocks(lu_rank *r, uint32_t peer, const uint32_t *slots, uint32_t count,
                       uint64_t mark)
{
    tc_window_step steps[TC_WINDOW_STEPS_MAX];
    size_t filled = 0;
    for (uint32_t i = 0; i <= count; i++) {
        if (filled == TC_WINDOW_STEPS_MAX) {
            if (!mrpc_exchange_chain(&r->base, peer, steps, filled))
                return false;
            filled = 0;
        }
        steps[filled++] = i < count
                              ? tc_window_step_put(slot_at(r, peer, slots[i]),
                                                   &r->share.blocks[slots[i]], sizeof(lu_block))
                              : tc_window_step_put(mrpc_exchange_arrived_at(&r->base, peer),
                                                   &mark, sizeof mark);
    }
    return mrpc_exchange_chain(&r->base, peer, steps, filled);
}

static bool get_block(lu_rank *r, uint32_t peer, uint32_t slot)
{
    const tc_window_step step =
        tc_window_step_get(slot_at(r, peer, slot), &r->share.blocks[slot], sizeof(lu_block));
    return mrpc_exchange_chain(&r->base, peer, &step, 1);
}

const lu_way lu_rank_window = {put_blocks, get_block, mrpc_exchange_await_message};

/* --- views ------------------------------------------------------------------------------- */

static lu_block *mapped_block(const lu_rank *r, uint32_t peer, uint32_t slot)
{
    lu_block *block = tc_window_view_at(r->base.peers[peer].view, slot_at(r, peer, slot).offset,
                                        sizeof *block);
    if (block == NULL)
        (void)mrpc_rank_fail("a block outside the window");
    return block;
}

static bool copy_blocks(lu_rank *r, uint32_t peer, const uint32_t *slots, uint32_t count,
                        uint64_t mark)
{
    const mrpc_part before = mrpc_stamps_enter(&r->base.stamps, MRPC_COPY);
    for (uint32_t i = 0; i < count; i++) {
        lu_block *block = mapped_block(r, peer, slots[i]);
        if (block == NULL)
            return false;
        *block = r->share.blocks[slots[i]];
    }
    (void)mrpc_stamps_enter(&r->base.stamps, before);
    return mrpc_exchange_signal(&r->base, peer, mark);
}

static bool load_block(lu_rank *r, uint32_t peer, uint32_t slot)
{
    const lu_block *block = mapped_block(r, peer, slot);
    if (block == NULL)
        return false;
    const mrpc_part before = mrpc_stamps_enter(&r->base.stamps, MRPC_COPY);
    r->share.blocks[slot] = *block;
    (void)mrpc_stamps_enter(&r->base.stamps, before);
    return true;
}

const lu_way lu_rank_view = {copy_blocks, load_block, mrpc_exchange_await_store};

/* --- functions --------------------------------------------------------------------------- */

static bool send_blocks(lu_rank *r, uint32_t peer, const uint32_t *slots, uint32_t count,
                        uint64_t mark)
{
    lu_source source = {.blocks = r->share.blocks};
    bool ok = true;
    do {
        source.head.count = count < LU_MESSAGE_MAX ? count : LU_MESSAGE_MAX;
        source.head.mark = count <= LU_MESSAGE_MAX ? mark : 0;
        memcpy(source.head.slots, slots, source.head.count * sizeof *slots);
        ok = mrpc_exchange_send(&r->base, peer, r->store, &source, sizeof source);
        slots += source.head.count;
        count -= source.head.count;
    } while (ok && source.head.mark == 0);
    return ok;
}

static bool call_block(lu_rank *r, uint32_t peer, uint32_t slot)
{
    return mrpc_exchange_call(&r->base, peer, r->read, &slot, sizeof slot,
                              &r->share.blocks[slot], sizeof(lu_block));
}

const lu_way lu_rank_function = {send_blocks, call_block, mrpc_exchange_await_message};
