/* Sending what waits in an endpoint's queue. */
#ifndef TCI_QUEUE_DRAIN_H
#define TCI_QUEUE_DRAIN_H

#include "core/ep.h"

/* Sends what waits, in order, as far as there is room. A message that cannot leave is given to
 * tci_ep_events.unsent. */
void tci_queue_drain(tc_ep *ep);

/* Something waits for room that tc_progress will send. */
bool tci_queue_waits(const tc_ep *ep);

/* Among that are messages and replies, not only what an endpoint says of itself. */
bool tci_queue_has_messages(const tc_ep *ep);

#endif
