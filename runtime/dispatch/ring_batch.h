/* A batch: some frames of one endpoint's ring, run in order. Dispatch and the module `usage`
 * each compile these parts into a loop of their own. */
#ifndef TCI_RING_BATCH_H
#define TCI_RING_BATCH_H

#include "base/assertion.h"
#include "core/credit.h"
#include "core/current.h"
#include "core/ep_state.h"
#include "ifunc/call_count.h"

typedef struct tci_ring_batch {
    tci_current *current;
    tci_current outer;
    uint64_t bytes, end; /* size of its part of the ring, and the position behind that */
} tci_ring_batch;

static inline void tci_ring_batch_begin(tci_ring_batch *batch, tc_ep *ep, uint64_t bytes)
{
    batch->current = tci_current_get();
    batch->outer = *batch->current;
    batch->bytes = bytes;
    batch->end = ep->rx.ring.head + bytes;
    batch->current->ep = ep;
    batch->current->invocation = NULL;
    (void)tci_pending_enter(&ep->core->pending, TCI_RUNNING);
}

/* `run` messages ran; `empty`: the first loop left nothing in the ring. */
static inline void tci_ring_batch_end(const tci_ring_batch *batch, tc_ep *ep, unsigned run,
                                      bool empty)
{
    tci_core *core = ep->core;
    tci_awaited_frame_set(&core->awaited, &ep->rx.ring,
                          run == 1 && empty ? ep->rx.ring.head - (batch->end - batch->bytes)
                                            : 0);
    tci_pending_leave(&core->pending, TCI_RUNNING, 0);
    TCI_INVARIANT(current_message, batch->current->ep == ep);
    *batch->current = batch->outer;
    if (ep->state == TCI_EP_OPEN)
        tci_ep_watch_head(ep);
    tci_credit_after_batch(ep);
    ep->rx.run_messages += run;
}

/* How the module `usage` counts a loop's calls: constants. */
typedef struct tci_ring_batch_hooks {
    bool times;
    uint64_t (*begin)(tc_ep *ep, tc_ifunc *fn); /* returns the calls until one is timed */
    /* `calls` of the function were made since, with `bytes` of payload. */
    void (*end)(tc_ep *ep, tc_ifunc *fn, uint64_t calls, uint64_t bytes, uint64_t until);
    /* Makes the call that is timed, and returns the distance to the next one. */
    uint64_t (*run_timed)(tc_ep *ep, tc_ifunc *fn, void *payload, size_t size);
} tci_ring_batch_hooks;

static __attribute__((noinline)) void tci_ring_batch_run_due(tc_ifunc *fn, uint8_t *frame,
                                                             size_t size, const tci_core *core)
{
    tci_call_count_run_timed(fn, frame + TCI_FRAME_HEADER_BYTES, size, core->target_args);
}

/* Runs plain calls (kind CALL, no flags) up to `end`; *empty_out: the ring is empty. `hooks` is
 * NULL, or a constant. */
static inline __attribute__((always_inline)) unsigned
tci_ring_batch_run_calls(tc_ep *ep, tci_current *current, uint64_t end, bool *empty_out,
                         const tci_ring_batch_hooks *const hooks)
{
    const tci_rx_slot *const slots = ep->rx.slots;
    const size_t slot_count = ep->rx.slot_count;
    const tci_core *const core = ep->core;
    tci_consumer rx = ep->rx.ring;
    unsigned run = 0, counted = 0;
    tc_ifunc *last = NULL; /* with hooks: the function whose calls from `counted` on are due */
    uint64_t bytes_due = 0, until = 0;
    *empty_out = true;
    while (tci_consumer_has_frame(&rx)) {
        uint8_t *frame = rx.ring + (rx.head & rx.mask);
        const uint64_t word = tci_ring_load_word(frame + 8);
        const tci_frame f = tci_frame_of_word(word);
        const size_t bytes = TCI_FRAME_HEADER_BYTES + (size_t)f.payload_size;
        if (rx.head >= end || word >> 48 != TCI_FRAME_CALL || f.slot >= slot_count ||
            bytes > tci_consumer_room(&rx) || slots[f.slot].main == NULL) {
            *empty_out = false;
            break;
        }
        tc_ifunc *const fn = slots[f.slot].fn;
        current->fn = fn;
        if (hooks != NULL && __builtin_expect(fn != last, 0)) {
            if (last != NULL)
                hooks->end(ep, last, run - counted, bytes_due, until);
            until = hooks->begin(ep, fn);
            last = fn;
            counted = run;
            bytes_due = 0;
        }
        if (hooks != NULL && hooks->times && __builtin_expect(--until == 0, 0))
            until = hooks->run_timed(ep, fn, frame + TCI_FRAME_HEADER_BYTES, f.payload_size);
        else if (tci_call_count_is_due(fn))
            tci_ring_batch_run_due(fn, frame, f.payload_size, core);
        else
            slots[f.slot].main(frame + TCI_FRAME_HEADER_BYTES, f.payload_size,
                               core->target_args);
        bytes_due += f.payload_size;
        tci_consumer_advance(&rx, bytes);
        run++;
    }
    if (hooks != NULL && last != NULL)
        hooks->end(ep, last, run - counted, bytes_due, until);
    TCI_INVARIANT(slot_table, slots == ep->rx.slots && slot_count == ep->rx.slot_count);
    ep->rx.ring.head = rx.head;
    ep->rx.ring.signal = rx.signal;
    return run;
}

#endif
