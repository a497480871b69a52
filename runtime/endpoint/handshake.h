/* Opens an endpoint: HELLO from both sides, then READY from both (docs/wire-format.md).
 *
 * The messages go over the endpoint's stream or, without one, in active messages; the rules are
 * the same. A peer that may not connect receives the reason in REFUSE. */
#ifndef TCI_HANDSHAKE_H
#define TCI_HANDSHAKE_H

#include "core/ep.h"

/* Begins to connect a new endpoint, and attaches this code to it (core/handshake_ops.h). It
 * ends if it is not open by the deadline; a later call changes that. */
void tci_handshake_begin(tc_ep *ep, uint64_t deadline_ns);

/* Requires the peer to state that it is that member of a group before messages leave. Messages
 * sent meanwhile wait in the queue. */
void tci_handshake_expect_rank(tc_ep *ep, uint32_t rank);

/* Makes our ring and sends the HELLO that describes it. Later calls do nothing. */
TC_MUST_CHECK tc_status tci_handshake_send_hello(tc_ep *ep, tc_error *err);

/* Handles one message from the peer, from either carrier. Ends the endpoint if the message is
 * not allowed. */
void tci_handshake_message(tc_ep *ep, tci_hello_kind kind, const void *bytes, size_t size);

/* Sends the peer the reason why it may not connect, or not go on, and ends the endpoint with
 * that error. */
void tci_handshake_refuse(tc_ep *ep, const tc_error *error);

/* Handles the stream's events: connecting, messages, its end. An endpoint that has ended by it
 * is watched no more. */
void tci_handshake_stream(tc_ep *ep);

/* Continues when UCX has connected the link meanwhile: sends READY, opens the endpoint. */
void tci_handshake_turn(tc_ep *ep);

/* Ends an endpoint that has passed its deadline and is not open, or has a peer that has not
 * confirmed its rank. */
void tci_handshake_expire(tc_ep *ep, uint64_t now_ns);

#endif
