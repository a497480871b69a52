/* Runs a batch as dispatch does, and counts. Plain calls in a row of one function are counted
 * together, in registers, and added to its entry when another function follows or the loop
 * ends; so a call takes six instructions more. All other calls are counted one by one. The
 * end of a batch adds its calls to its peer and the peer's identity. */
#include "modules/usage/usage_run.h"

#include "base/clock.h"
#include "core/calls_ops.h"
#include "dispatch/aligned_calls.h"
#include "dispatch/ring_batch.h"
#include "dispatch/dispatch.h"
#include "transfer/staging.h"

static void count_calls(tci_usage *u, tci_usage_item *item, uint64_t calls, uint64_t bytes)
{
    tci_usage_table_add(&item->counts.calls, calls);
    tci_usage_table_add(&item->counts.bytes, bytes);
    u->turn_calls += calls;
    u->turn_bytes += bytes;
}

/* --- timing ------------------------------------------------------------------------------ */

/* Half as many calls are timed after each TC_USAGE_TIMED_FIRST of a function, down to one of
 * TC_USAGE_TIMED_EVERY: so no timed call stands for a large part of all. */
static void lengthen(tci_usage_item *item)
{
    if (++item->timed_so < TC_USAGE_TIMED_FIRST || item->period >= TC_USAGE_TIMED_EVERY)
        return;
    item->period *= 2;
    item->timed_so = 0;
}
_Static_assert(TC_USAGE_TIMED_EVERY <= TCI_USAGE_PERIOD_MAX, "distances are drawn for it");

static __attribute__((noinline)) uint64_t run_timed(tc_ep *ep, tc_ifunc *fn, void *payload,
                                                    size_t size)
{
    tci_usage *u = tci_usage_table_of(ep->core);
    tci_usage_item *item = fn->usage;
    const tci_usage_item *peer = tci_usage_table_peer(u, ep);
    const uint32_t weight = item->period;
    const uint64_t begun_ns = tci_clock_ns();
    tci_call_count_run(fn, payload, size, ep->core->target_args);
    const uint64_t ns = tci_clock_ns() - begun_ns;
    tci_usage_times_add(item->times, ns, weight);
    tci_usage_times_add(peer->times, ns, weight);
    if (peer->identity != NULL)
        tci_usage_times_add(peer->identity->times, ns, weight);
    lengthen(item);
    return tci_usage_times_distance(&u->random, item->period);
}

/* --- plain calls ------------------------------------------------------------------------- */

static inline uint64_t begin(tc_ep *ep, tc_ifunc *fn)
{
    return tci_usage_table_function(tci_usage_table_of(ep->core), fn)->until;
}

static inline void end_counted(tc_ep *ep, tc_ifunc *fn, uint64_t calls, uint64_t bytes,
                               uint64_t until)
{
    (void)until;
    count_calls(tci_usage_table_of(ep->core), fn->usage, calls, bytes);
}

static inline void end_timed(tc_ep *ep, tc_ifunc *fn, uint64_t calls, uint64_t bytes,
                             uint64_t until)
{
    fn->usage->until = until;
    count_calls(tci_usage_table_of(ep->core), fn->usage, calls, bytes);
}

static unsigned run_counted(tc_ep *ep, tci_current *current, uint64_t end, bool *empty_out)
{
    static const tci_ring_batch_hooks hooks = {
        .times = false, .begin = begin, .end = end_counted, .run_timed = run_timed};
    return tci_ring_batch_run_calls(ep, current, end, empty_out, &hooks);
}

static unsigned run_counted_and_timed(tc_ep *ep, tci_current *current, uint64_t end,
                                      bool *empty_out)
{
    static const tci_ring_batch_hooks hooks = {
        .times = true, .begin = begin, .end = end_timed, .run_timed = run_timed};
    return tci_ring_batch_run_calls(ep, current, end, empty_out, &hooks);
}

static inline unsigned run_calls(const tci_usage *u, tc_ep *ep, tci_current *current,
                                 uint64_t end, bool *empty_out)
{
    return u->times ? run_counted_and_timed(ep, current, end, empty_out)
                    : run_counted(ep, current, end, empty_out);
}

/* --- other calls ------------------------------------------------------------------------- */

void tci_usage_run_call(tc_ep *ep, tc_ifunc *fn, void *payload, size_t size)
{
    tci_usage *u = tci_usage_table_of(ep->core);
    tci_usage_item *item = tci_usage_table_function(u, fn);
    count_calls(u, item, 1, size);
    if (u->times && --item->until == 0)
        item->until = run_timed(ep, fn, payload, size);
    else
        tci_call_count_run(fn, payload, size, ep->core->target_args);
}

/* The size of a payload outside of the frame is read again here, where it only counts: its peer
 * can change it meanwhile, so it is bounded by the option payload_bytes_max. */
void tci_usage_run_injected(tc_ep *ep, const tci_frame *f, const uint8_t *frame)
{
    tci_usage *u = tci_usage_table_of(ep->core);
    uint64_t size = f->payload_size;
    if ((f->flags & TCI_INJECT_STAGED) != 0) {
        tci_staged staged;
        const uint64_t max = ep->core->options.payload_bytes_max;
        tci_staged_decode(frame + TCI_FRAME_HEADER_BYTES, &staged);
        size = staged.size < max ? staged.size : max;
    }
    count_calls(u, tci_usage_table_injected(u), 1, size);
}

/* Runs from the frame that the loop of plain calls left on, as dispatch's run_rest does. */
static unsigned run_rest(const tci_usage *u, tc_ep *ep, tci_current *current, uint64_t end)
{
    unsigned run = 0, brief;
    bool empty = false;
    ep->rx.loading = false;
    while (!empty && tci_ep_is_open(ep) && ep->rx.ring.head < end) {
        brief = ep->core->calls != NULL ? ep->core->calls->ops->run_brief_counted(ep, end) : 0;
        run += brief;
        if ((brief == 0 && !tci_dispatch_run_other_counted(ep, current, end, &run)) ||
            !tci_ep_is_open(ep) || !tci_consumer_has_frame(&ep->rx.ring))
            break;
        run += run_calls(u, ep, current, end, &empty);
    }
    return run;
}

static void count_turn(tci_usage *u, tc_ep *ep, uint64_t end)
{
    tci_usage_item *peer = tci_usage_table_peer(u, ep);
    const bool is_full = ep->rx.ring.head >= end && tci_ep_has_frame(ep);
    for (tci_usage_item *item = peer; item != NULL; item = item->identity) {
        tci_usage_table_add(&item->counts.calls, u->turn_calls);
        tci_usage_table_add(&item->counts.bytes, u->turn_bytes);
        tci_usage_table_add(&item->counts.turns, 1);
        if (is_full)
            tci_usage_table_add(&item->counts.turns_full, 1);
    }
}

unsigned tci_usage_run_batch(tc_ep *ep, uint64_t bytes)
{
    tci_usage *u = tci_usage_table_of(ep->core);
    tci_ring_batch batch;
    bool empty;
    u->turn_calls = u->turn_bytes = 0;
    tci_ring_batch_begin(&batch, ep, bytes);
    unsigned run = run_calls(u, ep, batch.current, batch.end, &empty);
    if (!empty)
        run += run_rest(u, ep, batch.current, batch.end);
    tci_ring_batch_end(&batch, ep, run, empty);
    if (u->turn_calls > 0)
        count_turn(u, ep, batch.end);
    return run;
}
