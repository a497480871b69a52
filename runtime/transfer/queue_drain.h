/* Sends the items in an endpoint's queue. */
#ifndef TCI_QUEUE_DRAIN_H
#define TCI_QUEUE_DRAIN_H

#include "core/ep.h"

/* Sends queued items in order while there is space. A message that cannot be sent is passed to
 * tci_ep_events.unsent. */
void tci_queue_drain(tc_ep *ep);

/* Returns whether something that tc_progress will send waits for space. */
bool tci_queue_waits(const tc_ep *ep);

/* Returns whether messages or replies are queued, not only control frames. */
bool tci_queue_has_messages(const tc_ep *ep);

#endif
