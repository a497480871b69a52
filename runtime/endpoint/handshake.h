/* How an endpoint comes to be open: HELLO from both sides, then READY from both
 * (docs/wire-format.md).
 *
 * The messages go over the endpoint's stream or, without one, in active messages; the rules are
 * the same. A peer that may not connect is told why by REFUSE. */
#ifndef TCI_HANDSHAKE_H
#define TCI_HANDSHAKE_H

#include "core/ep.h"

/* An endpoint that is not open by the deadline ends then. */
void tci_handshake_set_deadline(tc_ep *ep, uint64_t deadline_ns);

/* The peer has to be that member of a group, and say so, before messages leave. Messages that
 * are sent meanwhile wait in the queue. */
void tci_handshake_expect_rank(tc_ep *ep, uint32_t rank);

/* Sends our HELLO, once: the ring is made for it. */
TC_MUST_CHECK tc_status tci_handshake_send_hello(tc_ep *ep, tc_error *err);

/* One message from the peer, from whichever carrier. Ends the endpoint when it is not to be
 * borne. */
void tci_handshake_message(tc_ep *ep, tci_hello_kind kind, const void *bytes, size_t size);

/* Tells the peer why it may not connect, or not go on, and ends the endpoint with that. */
void tci_handshake_refuse(tc_ep *ep, const tc_error *error);

/* What the stream has: connecting, messages, its end. */
void tci_handshake_stream(tc_ep *ep);

/* Goes on when UCX has connected the link meanwhile: says READY, opens. */
void tci_handshake_turn(tc_ep *ep);

/* The deadline has passed: ends an endpoint that is not open yet. */
void tci_handshake_expire(tc_ep *ep, uint64_t now_ns);

/* Ends an endpoint whose peer has parted, and all of whose messages that came were run. */
void tci_handshake_part(tc_ep *ep);

#endif
