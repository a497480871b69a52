#include "modules/calls/brief_run.h"

#include "base/assertion.h"
#include "core/current.h"
#include "core/ep_state.h"
#include "core/limits.h"
#include "core/usage_ops.h"
#include "ifunc/call_count.h"
#include "modules/calls/brief_out.h"
#include "modules/calls/invocation.h"

static inline __attribute__((always_inline)) void run_call(tc_ep *ep, tci_current *current,
                                                           const tci_rx_slot *slot,
                                                           uint8_t *payload, size_t size,
                                                           uint64_t call, const bool counted)
{
    tci_invocation invocation; /* not cleared: that would take longer than the rest */
    invocation.moved = invocation.begun = false;
    invocation.failure = TC_OK;
    tci_calls_set_brief(ep, call, &invocation.route);
    current->fn = slot->fn;
    current->invocation = &invocation;
    if (counted)
        ep->core->usage->call(ep, slot->fn, payload, size);
    else
        tci_call_count_run(slot->fn, payload, size, ep->core->target_args);
    if (invocation.route.call == 0 || invocation.failure != TC_OK || invocation.begun ||
        !tci_brief_out_answer(ep, invocation.route.call, NULL, 0))
        tci_calls_end_begun(&invocation, ep);
    current->invocation = NULL;
}

static inline __attribute__((always_inline)) unsigned run(tc_ep *ep, uint64_t end,
                                                          const bool counted)
{
    tci_current *current = tci_current_get();
    tci_consumer *rx = &ep->rx.ring;
    unsigned count = 0;
    while (rx->head < end && tci_ep_is_open(ep) && tci_consumer_has_frame(rx)) {
        uint8_t *frame = rx->ring + (rx->head & rx->mask);
        const tci_frame f = tci_frame_of_word(tci_ring_load_word(frame + 8));
        const size_t bytes = TCI_FRAME_HEADER_BYTES + (size_t)f.payload_size;
        const size_t size = (size_t)f.payload_size - TCI_BRIEF_BYTES;
        uint8_t *payload = frame + TCI_FRAME_HEADER_BYTES;
        if (f.flags != TCI_BRIEF || f.payload_size < TCI_BRIEF_BYTES ||
            bytes > tci_consumer_room(rx))
            break;
        const uint64_t call = tci_route_brief(payload, f.payload_size);
        __builtin_prefetch(frame + tci_frame_align(bytes));
        if (f.kind == TCI_FRAME_CALL && f.slot < ep->rx.slot_count &&
            ep->rx.slots[f.slot].main != NULL)
            run_call(ep, current, &ep->rx.slots[f.slot], payload, size, call, counted);
        else if (f.kind == TCI_FRAME_REPLY)
            tci_invocation_answer(ep, call, payload, size);
        else
            break;
        current->fn = NULL; /* it may be evicted from here on */
        tci_limits_step(ep);
        tci_consumer_advance(rx, bytes);
        count++;
    }
    return count;
}

unsigned tci_brief_run(tc_ep *ep, uint64_t end)
{
    return run(ep, end, false);
}

unsigned tci_brief_run_counted(tc_ep *ep, uint64_t end)
{
    return run(ep, end, true);
}
