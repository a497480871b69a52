/* Peers that request more than they read. While too many bytes are queued for a peer
 * (transfer/send_queue.h), its ring is not read, so that its sender runs out of credit, too. */
#ifndef TCI_BACKLOG_H
#define TCI_BACKLOG_H

#include "core/ep.h"

/* Resumes a paused ring when the queue has shrunk. In any case it reads a little from time to
 * time: two sides may be paused for each other, and the data that each waits for may lie in the
 * ring that it does not read. Returns the number of messages run. */
unsigned tci_backlog_turn(tc_ep *ep);

#endif
