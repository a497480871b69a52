/* Sends replies to the origin of a message: by the endpoint that it came from, or by the
 * group. */
#ifndef TCI_REPLY_H
#define TCI_REPLY_H

#include "core/calls_ops.h"
#include "transfer/send_queue.h"

/* Answers a message that has this route. `ep` is the endpoint that it came by, or one of the
 * group that it travels in. With another status than TC_OK `data` is a text. `data` is copied;
 * parts without credit are queued. TC_E_UNREACHABLE: the origin is of no group here.
 * TC_E_TOO_LARGE: above the option send_queue_bytes. TC_E_AGAIN: too many bytes are queued to
 * the origin already. TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_reply_to_origin(tc_ep *ep, const tci_route *route, tc_status status,
                                            const void *data, size_t size);

/* Returns whether an answer of that size may leave at all, for such a message. */
bool tci_reply_may_be(const tc_ep *ep, const tci_route *route, size_t size);
/* Returns the endpoint that an answer to such a message leaves by, as frames without a path;
 * NULL: it is local, has a path, or cannot leave. */
tc_ep *tci_reply_ring_of(tc_ep *ep, const tci_route *route);
/* Returns the head of an answer to such a message. */
tci_reply tci_reply_head(const tc_ep *ep, const tci_route *route, tc_status status);
/* Returns whether an answer may leave before anything else: always with a frame limit above 0,
 * and also where only held space makes that 0. */
bool tci_reply_may_leave(const tc_ep *ep);
/* Commits a REPLY frame in the ring; the payload is in it. */
void tci_reply_publish(tc_ep *ep, uint8_t *frame, size_t payload_size);

/* The same with a status and a text; logs a reply that cannot be sent. */
void tci_reply_error(tc_ep *ep, const tci_route *route, tc_status status, const char *text);

/* The same for a message that was to leave by `ep`: without an origin in a group it began
 * here, and the reply is local. */
void tci_reply_to_sender(tc_ep *ep, const tci_route *route, tc_status status, const char *text);

/* Notifies the origins of messages that were to leave by an endpoint that has ended. */
void tci_reply_unsent(tc_ep *ep);
/* The same for one message. */
void tci_reply_item_unsent(tc_ep *ep, const tci_queued *item, tc_status status);

#endif
