/* The receive path: from a frame at the head of a ring to the call of its function. */
#ifndef TCI_DISPATCH_H
#define TCI_DISPATCH_H

#include "core/ep.h"

/* Runs what has arrived on an open endpoint, up to a bound that keeps many endpoints fair.
 * Returns how many messages were run. Ends the endpoint when the peer breaks the format. */
unsigned tci_dispatch_run(tc_ep *ep);

/* Runs what lies in the ring at this moment; what the peer adds meanwhile may wait, so that it
 * holds nobody else up. */
unsigned tci_dispatch_run_lap(tc_ep *ep);

/* Runs some of it. True: nothing is left, and no frame waits for its function. */
bool tci_dispatch_drain(tc_ep *ep);

#endif
