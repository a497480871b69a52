/* Calls that a peer has not consumed when an endpoint ends, and never will. */
#ifndef TCI_UNRUN_H
#define TCI_UNRUN_H

#include "core/ep.h"

#include <tc/call.h>

typedef void (*tci_unrun_visitor)(void *user, tc_call_id call);

/* Calls the visitor with the number of each call by this endpoint, which has ended, that its
 * peer certainly does not run. The visitor may start and end calls, and close endpoints. The
 * numbers are read from memory that the peer may write to, and may name anything. Calls that
 * left in fragments, and those in the queue, are left out. */
void tci_unrun_visit(const tc_ep *ep, tci_unrun_visitor visit, void *user);

#endif
