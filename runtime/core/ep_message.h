/* Messages of an endpoint beside its ring: hellos, and the two that have no body. They go over
 * its stream or, without one, in active messages. */
#ifndef TCI_EP_MESSAGE_H
#define TCI_EP_MESSAGE_H

#include "core/ep.h"

/* Sends an encoded hello message. TC_E_PEER_LOST, TC_E_AGAIN (the stream's buffer is full). */
tc_status tci_ep_message_send(tc_ep *ep, const void *bytes, size_t size, tc_error *err);

/* Tells the peer that this side ends in order; best effort. */
void tci_ep_message_bye(tc_ep *ep);

/* Tells the peer that this side ends although some of its messages may not have come, and why;
 * best effort. */
void tci_ep_message_give_up(tc_ep *ep, const char *why);

/* Wakes a peer that sleeps; best effort. If the stream's send buffer is full, the peer has
 * unread data and is awake. False: by the link one is under way, which the peer may have heard
 * before it went to sleep again; come again. */
bool tci_ep_message_wakeup(tc_ep *ep);

#endif
