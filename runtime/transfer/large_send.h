/* Payloads larger than a frame: they leave in fragments, in their place among the other
 * messages.
 *
 * The fragments go through the ring like everything else, so order, credit and every delivery
 * hold for them as they are, and neither side needs memory beside the payload itself. */
#ifndef TCI_LARGE_SEND_H
#define TCI_LARGE_SEND_H

#include "core/ep.h"

/* A payload that leaves in fragments. */
typedef struct tci_large_request {
    tc_ifunc *fn;     /* held */
    const void *args; /* of the call that began it, which goes on when it is repeated */
    size_t args_size;
    uint8_t *owned; /* NULL, or the payload's own memory */
    const uint8_t *payload;
    size_t size;
    size_t start;      /* where in the whole `payload` begins */
    size_t offset;     /* bytes of the whole that have left */
    bool framed;       /* it goes outside the ring, and its frame is in the ring already */
    uint16_t number;   /* of a framed one */
    tc_status refused; /* by the peer: TC_E_TOO_LARGE or TC_E_NO_MEMORY; TC_OK: it is not */
    bool queued;       /* the call has returned; tc_progress goes on with it */
    uint8_t routed;    /* TCI_ROUTED: the payload ends with a route; or 0 */
} tci_large_request;

/* Begins with a payload, or goes on with the one under way if fn, args and args_size are those
 * of the call that began it. `owned` (NULL: none) is taken over in any case. `routed` is
 * TCI_ROUTED when the payload ends with a route, else 0. TC_OK: all of it has left. TC_E_AGAIN:
 * call again with the same arguments. TC_E_BUSY: another one is under way. TC_E_TOO_LARGE,
 * TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_large_send(tc_ep *ep, tc_ifunc *fn, const void *args,
                                       size_t args_size, uint8_t *owned, size_t payload_size,
                                       uint8_t routed);

/* Whether that call goes on with what is under way. */
bool tci_large_continues(const tc_ep *ep, const tc_ifunc *fn, const void *args,
                         size_t args_size);

/* After TC_E_AGAIN: keeps what is left, for tc_progress to go on with. */
TC_MUST_CHECK tc_status tci_large_queue(tc_ep *ep);

/* Sends what there is room for of a queued one. False: something is left. */
bool tci_large_turn(tc_ep *ep);

/* The call that goes on with it is about to return for good. False: UCX still reads the
 * payload, and the endpoint is well, so that will end. Of an endpoint that has ended the link
 * is closed for it: afterwards nobody reads the caller's memory. */
bool tci_large_give_up(tc_ep *ep);

/* Forgets what is under way. */
void tci_large_abandon(tc_ep *ep);

#endif
