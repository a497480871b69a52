/* Task graphs by mapped windows: a rank stores outputs right into the inbox of another
 * rank, for its tasks to read, and the id of each last. No message is sent. */
#include "metg_steps.h"

#include <stdio.h>
#include <string.h>

static bool begin(metg_rank *r, const metg_plan *plan, uint32_t step)
{
    (void)r, (void)plan, (void)step;
    return true;
}

/* The library is not needed for stores of others, but a peer may wait for it elsewhere. */
static inline void poll(metg_rank *r, uint64_t turn)
{
    if (turn % METG_TURNS_BEFORE_YIELD == 0)
        (void)tc_progress(r->ctx);
}

static bool look(metg_rank *r, const metg_plan *plan, uint32_t step)
{
    for (uint32_t i = 0; i < plan->exchange_count; i++) {
        const metg_exchange *with = &plan->exchanges[i];
        __builtin_prefetch(
            metg_inbox_output(&r->share.inbox, with->peer, step - 1, with->peer_first));
    }
    return true;
}

static bool await(metg_rank *r, const metg_plan *plan, uint32_t step)
{
    return metg_steps_await(r, plan, step, poll);
}

/* The peer's inbox has the same shape, and lies at the same offset of its window. */
static bool store(metg_rank *r, const metg_exchange *with, uint32_t step)
{
    const metg_inbox *inbox = &r->share.inbox;
    const uint64_t bytes = inbox->output_bytes;
    const uint64_t offset = (uint64_t)(inbox->memory - (unsigned char *)r->words) +
                            metg_box_offset(inbox, r->rank, step) + with->first * bytes;
    unsigned char *to =
        tc_window_view_at(r->peers[with->peer].view, offset, with->count * bytes);
    if (to == NULL) {
        fprintf(stderr, "metg: outputs outside the window of rank %u\n", with->peer);
        return false;
    }
    for (uint32_t i = 0; i < with->count; i++, to += bytes) {
        const metg_output *from = metg_rank_output(r, step, with->first + i);
        metg_output *output = (metg_output *)(void *)to;
        output->sum = from->sum;
        if (bytes > sizeof *from)
            memcpy(output + 1, from + 1, bytes - sizeof *from);
        __atomic_store_n(&output->id, from->id, __ATOMIC_RELEASE);
    }
    return true;
}

static bool store_all(metg_rank *r, const metg_plan *next, uint32_t step)
{
    for (uint32_t i = 0; i < next->exchange_count; i++) {
        if (!store(r, &next->exchanges[i], step))
            return false;
    }
    return true;
}

bool metg_view_run(metg_rank *r)
{
    static const metg_moves moves = {begin, look, await, store_all};
    return metg_steps_run(r, &moves);
}
