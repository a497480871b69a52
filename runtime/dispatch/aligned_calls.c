#include "dispatch/aligned_calls.h"

#include "base/assertion.h"
#include "core/usage_ops.h"
#include "dispatch/payload_place.h"
#include "ifunc/call_count.h"

/* A plain call, with a lead or without, of a function that was called before. */
static bool is_plain(const tc_ep *ep, const tci_frame *f)
{
    return f->kind == TCI_FRAME_CALL && (f->flags & ~TCI_ALIGNED) == 0 &&
           f->slot < ep->rx.slot_count && ep->rx.slots[f->slot].callable &&
           !ep->rx.slots[f->slot].fn->report_due &&
           TCI_FRAME_HEADER_BYTES + (size_t)f->payload_size <= tci_consumer_room(&ep->rx.ring);
}

static inline __attribute__((always_inline)) bool
run_one(tc_ep *ep, tci_current *current, const tci_frame *f, uint8_t *frame, const bool counted)
{
    tc_ifunc *const fn = ep->rx.slots[f->slot].fn;
    uint8_t *payload = frame + TCI_FRAME_HEADER_BYTES;
    size_t size = f->payload_size;
    tc_error ignored; /* the caller's next check reports it */
    if (tci_payload_place_framed(ep->core, f, fn, &payload, &size, &ignored) != TC_OK)
        return false;
    TCI_INVARIANT_IS(ring_room, TCI_FRAME_HEADER_BYTES + (size_t)f->payload_size, <=,
                     tci_consumer_room(&ep->rx.ring));
    current->fn = fn;
    if (counted)
        ep->core->usage->call(ep, fn, payload, size);
    else
        tci_call_count_run(fn, payload, size, ep->core->target_args);
    tci_consumer_advance(&ep->rx.ring, TCI_FRAME_HEADER_BYTES + (size_t)f->payload_size);
    return true;
}

static inline __attribute__((always_inline)) unsigned run_all(tc_ep *ep, tci_current *current,
                                                              uint64_t end, const bool counted)
{
    unsigned run = 0;
    while (ep->rx.ring.head < end && tci_consumer_has_frame(&ep->rx.ring)) {
        uint8_t *frame = ep->rx.ring.ring + (ep->rx.ring.head & ep->rx.ring.mask);
        const tci_frame f = tci_frame_of_word(tci_ring_load_word(frame + 8));
        if (!is_plain(ep, &f) || !run_one(ep, current, &f, frame, counted))
            break;
        run++;
    }
    return run;
}

unsigned tci_aligned_calls_run(tc_ep *ep, tci_current *current, uint64_t end)
{
    return run_all(ep, current, end, false);
}

unsigned tci_aligned_calls_run_counted(tc_ep *ep, tci_current *current, uint64_t end)
{
    return run_all(ep, current, end, true);
}
