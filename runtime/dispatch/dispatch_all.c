#include "dispatch/dispatch.h"

#include "core/ep_state.h"
#include "core/limits.h"

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
