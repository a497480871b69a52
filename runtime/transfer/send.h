/* Sending a message in its turn: at once, in fragments, or through the queue. tc_send itself is
 * in <tc/ifunc.h>. */
#ifndef TCI_SEND_H
#define TCI_SEND_H

#include "transfer/outgoing.h"

/* Sends it in its turn, or queues it: when an ifunc sends it and there is no room, when it has
 * a route and is large, and on an endpoint of a group that is not open yet. Statuses of
 * tc_send. */
TC_MUST_CHECK tc_status tci_send_message(tc_ep *ep, tci_outgoing *out);

/* The same for a payload that is made, with a route behind it. */
TC_MUST_CHECK tc_status tci_send_routed(tc_ep *ep, tc_ifunc *fn, const tci_route *route,
                                        const void *payload, size_t size);

#endif
