/* The receive path: from a frame at the head of a ring to the call of its function. */
#ifndef TCI_DISPATCH_H
#define TCI_DISPATCH_H

#include "core/current.h"
#include "core/ep.h"

/* Runs messages that have arrived on an open endpoint, up to a bound that keeps many
 * endpoints fair. Returns the number of messages run. Ends the endpoint when the peer breaks
 * the format. */
unsigned tci_dispatch_run(tc_ep *ep);

/* Runs the messages that are in the ring now. Messages that the peer adds meanwhile may wait,
 * so that it delays no other peer. */
unsigned tci_dispatch_run_lap(tc_ep *ep);

/* Runs some messages. Returns true when the ring is empty and no frame waits for its
 * function. */
bool tci_dispatch_drain(tc_ep *ep);

/* Peers that request more than they read: while too many bytes are queued for a peer
 * (transfer/send_queue.h), its ring is paused, so that its sender runs out of credit, too.
 * Resumes the ring when the queue has shrunk. In any case reads a little from time to time: two
 * sides may be paused for each other, and the data that each waits for may lie in the ring that
 * it does not read. Returns the number of messages run. */
unsigned tci_dispatch_paused(tc_ep *ep);

/* For the module `usage`: handles the frame at the head of a batch up to `end`, of any kind,
 * and counts its call. Adds to *run the messages that ran. Returns false if no progress is
 * possible now. */
bool tci_dispatch_run_other_counted(tc_ep *ep, tci_current *current, uint64_t end,
                                    unsigned *run);

#endif
