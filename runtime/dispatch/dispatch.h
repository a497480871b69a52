/* The receive path: from a frame at the head of a ring to the call of its function. */
#ifndef TCI_DISPATCH_H
#define TCI_DISPATCH_H

#include "endpoint/ep.h"

/* Runs what has arrived on an open endpoint, up to a bound that keeps many endpoints fair.
 * Returns how many messages were run. Ends the endpoint when the peer breaks the format. */
unsigned tci_dispatch_run(tc_ep *ep);

/* tci_dispatch_run when there is something, as one load and one comparison when there is not.
 */
static inline unsigned tci_dispatch_poll(tc_ep *ep)
{
    if (__builtin_expect(ep->state != TCI_EP_OPEN, 0))
        return 0;
    return tci_consumer_has_frame(&ep->rx) ? tci_dispatch_run(ep) : 0;
}

#endif
