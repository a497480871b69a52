/* Messages of an endpoint beside its ring: hellos, and the two without a body, BYE and WAKEUP.
 * They go over its stream or, without one, in active messages. */
#ifndef TCI_EP_MESSAGE_H
#define TCI_EP_MESSAGE_H

#include "core/ep.h"

/* Sends an encoded hello message. TC_E_PEER_LOST, TC_E_AGAIN (the stream's buffer is full). */
tc_status tci_ep_message_send(tc_ep *ep, const void *bytes, size_t size, tc_error *err);

/* Notifies the peer that this side ends in order; best effort. */
void tci_ep_message_bye(tc_ep *ep);

/* Notifies the peer that this side ends although some of its messages may not have arrived, and
 * gives the reason; best effort. */
void tci_ep_message_give_up(tc_ep *ep, const char *why);

/* Called after a goodbye. tci_ep_message_has_left returns whether it has left or never will;
 * UCX has to be progressed in between. */
void tci_ep_message_flush_begin(tc_ep *ep);
bool tci_ep_message_has_left(tc_ep *ep);

/* Wakes a peer that sleeps; best effort. If the stream's send buffer is full, the peer has
 * unread data and is awake. Returns false if an earlier WAKEUP is under way by the link: the
 * peer may have received it before it went to sleep again, so call again later. */
bool tci_ep_message_wakeup(tc_ep *ep);

#endif
