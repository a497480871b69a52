#include "dispatch/dispatch.h"

#include "base/clock.h"
#include "core/ep_state.h"
#include "core/limits.h"
#include "transfer/send_queue.h"

#define LOOK_NS (50 * TCI_NS_PER_MS)

unsigned tci_dispatch_run_lap(tc_ep *ep)
{
    const uint64_t end = ep->rx.ring.head + ep->rx.ring.mask + 1;
    unsigned run = 0, n;
    while (tci_ep_is_open(ep) && !ep->rx.held && ep->rx.ring.head < end &&
           (n = tci_dispatch_run(ep)) > 0)
        run += n;
    return run;
}

bool tci_dispatch_drain(tc_ep *ep)
{
    const uint64_t head = ep->rx.ring.head;
    if (ep->rx.held)
        return false;
    (void)tci_dispatch_run(ep);
    return ep->rx.ring.head == head && !ep->rx.loading &&
           !(tci_limits_waits(ep) && tci_consumer_has_frame(&ep->rx.ring));
}

unsigned tci_dispatch_paused(tc_ep *ep)
{
    if (!ep->rx.paused || ep->rx.held || tci_limits_waits(ep))
        return 0;
    if (tci_send_queue_has_shrunk(ep)) {
        tci_ep_resume(ep);
        return 0;
    }
    const uint64_t now_ns = tci_clock_ns();
    if (now_ns - ep->rx.paused_ns < LOOK_NS)
        return 0;
    ep->rx.paused_ns = now_ns;
    return tci_dispatch_run(ep);
}
