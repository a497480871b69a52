/* Peers that ask for more than they read: while too much waits for one (transfer/send_queue.h),
 * its ring stands, until its sender has no credit left either. */
#ifndef TCI_BACKLOG_H
#define TCI_BACKLOG_H

#include "core/ep.h"

/* Of a ring that stands: reads on when less waits, and now and then a little in any case. Two
 * sides may stand for each other, and what each waits for may lie in the ring that it does not
 * read. Returns how many messages were run. */
unsigned tci_backlog_turn(tc_ep *ep);

#endif
