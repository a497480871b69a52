/* Large payloads to peers that UCX serves: they travel beside the ring in PAYLOAD messages,
 * from the caller's memory into that which the function runs on. A frame in the ring names the
 * payload by its number and keeps its place in the order. payload_in.h is the receiving half.
 *
 * The sender's UCX reads the payload where the caller has it, so the call is repeated until
 * that is over. How many payloads may be on their way is bounded (TCI_OUT_OF_LINE_*). */
#ifndef TCI_PAYLOAD_OUT_H
#define TCI_PAYLOAD_OUT_H

#include "core/ep.h"

struct tci_large_request;

/* TC_OK: all has left. TC_E_AGAIN: come again, and leave the payload as it is. TC_E_NO_MEMORY:
 * nothing was sent. TC_E_PEER_LOST. */
TC_MUST_CHECK tc_status tci_payload_out_send(tc_ep *ep, struct tci_large_request *large);
/* UCX still reads the caller's payload. */
bool tci_payload_out_is_leaving(const tc_ep *ep);
/* Of a payload whose frame has left: whether its call would find something to do. */
bool tci_payload_out_may_go_on(const tc_ep *ep);
/* The position in the peer's ring whose consumption lets the next one begin; UINT64_MAX: no
 * matter. */
uint64_t tci_payload_out_awaited(const tc_ep *ep);

/* After the link is closed. */
void tci_payload_out_fini(tc_ep *ep);

#endif
