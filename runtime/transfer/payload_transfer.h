/* Large payloads to and from peers that UCX serves: they travel beside the ring in PAYLOAD
 * messages, from the caller's memory into that which the function runs on. A frame in the ring
 * names the payload by its number and keeps its place in the order.
 *
 * The sender's UCX reads the payload where the caller has it, so the call is repeated until
 * that is over. How many payloads may be on their way is bounded (TCI_OUTSIDE_*), and so is the
 * receiver's memory. Parts may arrive in any order, and before the frame. */
#ifndef TCI_PAYLOAD_TRANSFER_H
#define TCI_PAYLOAD_TRANSFER_H

#include "core/ep.h"

/* --- the sender --------------------------------------------------------------------------- */

/* TC_OK: all has left. TC_E_AGAIN: come again, and leave the payload as it is. TC_E_NO_MEMORY:
 * nothing was sent. TC_E_PEER_LOST. */
TC_MUST_CHECK tc_status tci_payload_send(tc_ep *ep, tci_partial *partial);
/* UCX still reads the caller's payload. */
bool tci_payload_is_leaving(const tc_ep *ep);
/* The position in the peer's ring whose consumption lets the next one begin; UINT64_MAX: no
 * matter. */
uint64_t tci_payload_awaited(const tc_ep *ep);

/* --- the receiver ------------------------------------------------------------------------- */

/* A tci_payload_handler's work: ends the endpoint when the message fits nothing. */
bool tci_payload_take(tc_ep *ep, const tci_payload_header *header, size_t size,
                      tci_sink *sink_out);

/* The payload that a frame at the ring's head names. TC_OK: *bytes_out has it whole, until
 * tci_payload_done. TC_E_AGAIN: not all of it is here. TC_E_TOO_LARGE, TC_E_NO_MEMORY: refused,
 * tci_payload_done is owed. TC_E_CORRUPT. */
TC_MUST_CHECK tc_status tci_payload_find(tc_ep *ep, const tci_piece *named, uint8_t **bytes_out,
                                         tc_error *err);
/* The one that was asked for last is used, or passed over: what still comes of it is dropped.
 */
void tci_payload_done(tc_ep *ep);

/* A frame at the ring's head waits for its payload, which is not whole yet. */
bool tci_payload_stands(const tc_ep *ep);

/* --- both --------------------------------------------------------------------------------- */

/* After the link is closed. */
void tci_payload_fini(tc_ep *ep);
void tci_inbound_fini(tc_ep *ep); /* the receiving half of it */

#endif
