/* The receive path: from a frame at the head of a ring to the call of its function. */
#ifndef TCI_DISPATCH_H
#define TCI_DISPATCH_H

#include "core/ep.h"

/* Runs what has arrived on an open endpoint, up to a bound that keeps many endpoints fair.
 * Returns how many messages were run. Ends the endpoint when the peer breaks the format. */
unsigned tci_dispatch_run(tc_ep *ep);

#endif
