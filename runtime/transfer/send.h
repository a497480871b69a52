/* Sends a message in its order: at once, in fragments, or through the queue. tc_send itself is
 * declared in <tc/ifunc.h>. */
#ifndef TCI_SEND_H
#define TCI_SEND_H

#include "transfer/outgoing.h"
#include "wire/route.h"

/* Sends a message in its order, or queues it: when an ifunc sends it and there is no space,
 * when it has a route and is large, or when its endpoint belongs to a group and is not open
 * yet. Statuses of tc_send. */
TC_MUST_CHECK tc_status tci_send_message(tc_ep *ep, tci_outgoing *out);

/* The same for a payload that is already made, with a route behind it. */
TC_MUST_CHECK tc_status tci_send_routed(tc_ep *ep, tc_ifunc *fn, const tci_route *route,
                                        const void *payload, size_t size);

/* Sends a message with a route, if that takes no more than the stores of one frame: the peer
 * knows the function, which copies its payload and asks for no alignment, there is space, and
 * no earlier message waits. False: nothing was sent. */
bool tci_send_routed_now(tc_ep *ep, const tc_ifunc *fn, const tci_route *route,
                         const void *payload, size_t size);

#endif
