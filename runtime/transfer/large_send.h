/* Payloads larger than a frame: they leave in fragments, in order with the other messages.
 *
 * The fragments go through the ring like every other frame, so order, credit and every delivery
 * apply to them unchanged, and neither side needs memory beside the payload itself. The bytes
 * of a fragment may lie beside the ring (staging.h, payload_out.h). */
#ifndef TCI_LARGE_SEND_H
#define TCI_LARGE_SEND_H

#include "transfer/outgoing.h"

/* A payload that leaves in fragments. */
typedef struct tci_large_request {
    tc_ifunc *fn;     /* held */
    const void *args; /* of the call that began it; that call, repeated, continues it */
    size_t args_size;
    uint8_t *owned; /* NULL, or the payload's own memory */
    const uint8_t *payload;
    size_t size;
    size_t start;      /* offset in the whole at which `payload` begins */
    size_t offset;     /* bytes of the whole that have left */
    bool framed;       /* it goes beside the ring, and its frame is in the ring already */
    uint16_t number;   /* of a framed payload */
    tc_status refused; /* the peer's refusal: TC_E_TOO_LARGE or TC_E_NO_MEMORY; or TC_OK */
    bool queued;       /* the call has returned; tc_progress continues the payload */
    struct tci_started *started; /* the send that ends with it; or NULL */
    uint8_t routed;              /* TCI_ROUTED: the payload ends with a route; or 0 */
} tci_large_request;

/* Begins a payload, or continues the one under way, which is that of an earlier call with the
 * same fn and args. `keep`: args do not outlive this call, so the payload is copied. TC_OK: all
 * of it has left. TC_E_AGAIN: call again with the same arguments. TC_E_TOO_LARGE,
 * TC_E_NO_MEMORY, TC_E_PAYLOAD. */
TC_MUST_CHECK tc_status tci_large_send(tc_ep *ep, const tci_outgoing *out, bool keep);

/* Called after TC_E_AGAIN: keeps the rest for tc_progress to send. */
TC_MUST_CHECK tc_status tci_large_queue(tc_ep *ep);

/* Sends as much of a queued payload as there is space for. False: something is left. */
bool tci_large_turn(tc_ep *ep);

/* Called when the call that continues the payload is about to return for good. False: the link
 * still reads the payload, and the endpoint is open, so that will end. The link of an endpoint
 * that has ended is closed for it: afterwards no code reads the caller's memory. */
bool tci_large_give_up(tc_ep *ep);

/* Forgets the payload under way. */
void tci_large_abandon(tc_ep *ep);

/* Ends the send of tc_send_start whose payload is under way, after its endpoint has ended.
 * Closes the link if that still reads the payload. */
void tci_large_lose_started(tc_ep *ep);

#endif
