/* Large payloads to peers to which a delivery carries frames: they travel beside the ring in
 * PAYLOAD messages, from the caller's memory into the memory on which the function runs. A
 * frame in the ring names the payload by its number and keeps its position in the order.
 * payload_in.h is the receiving half.
 *
 * The sender's link reads the payload in the caller's memory, so the call is repeated until
 * that is over. The number of payloads under way is bounded (TCI_OUT_OF_LINE_*). */
#ifndef TCI_PAYLOAD_OUT_H
#define TCI_PAYLOAD_OUT_H

#include "core/ep.h"

struct tci_large_request;

/* Sends as much of the payload as can leave. TC_OK: all has left. TC_E_AGAIN: call again, and
 * leave the payload unchanged. TC_E_NO_MEMORY: nothing was sent. TC_E_PEER_LOST. */
TC_MUST_CHECK tc_status tci_payload_out_send(tc_ep *ep, struct tci_large_request *large);
/* Copies the bytes that are left: an ifunc's memory is gone when it returns. TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_payload_out_own(struct tci_large_request *large);
/* Returns whether the link still reads the caller's payload. */
bool tci_payload_out_is_leaving(const tc_ep *ep);
/* Returns whether the call for a payload that is already announced would make progress. */
bool tci_payload_out_may_go_on(const tc_ep *ep);
/* Returns the position that the peer must consume before the next payload can begin;
 * UINT64_MAX: no such position. */
uint64_t tci_payload_out_awaited(const tc_ep *ep);

/* Called after the link is closed. */
void tci_payload_out_fini(tc_ep *ep);

#endif
