/* An invocation: a function runs on a message that has a route. It may reply, forward itself,
 * or detach the reply. Otherwise an empty reply leaves when it returns. */
#ifndef TCI_INVOCATION_H
#define TCI_INVOCATION_H

#include "core/ep.h"
#include "wire/route.h"

typedef struct tci_invocation {
    tci_route route;   /* call 0: no reply is owed */
    bool moved;        /* forwarded, replied to, or detached */
    tc_status failure; /* of a forward or a reply, sent unless moved later; TC_OK: no failure */
    char text[256];
} tci_invocation;

/* Reads the route at the end of a payload; *size becomes the size of the part before the route.
 * TC_E_CORRUPT. */
TC_MUST_CHECK tc_status tci_invocation_begin(tci_invocation *invocation, const uint8_t *payload,
                                             size_t *size, tc_error *err);
/* Called after the function has returned. Sends the reply that is still owed. */
void tci_invocation_end(tci_invocation *invocation, tc_ep *ep);

/* Sends the reason to the origin of a message that is not run. */
void tci_invocation_refuse(tc_ep *ep, const uint8_t *payload, size_t size,
                           const tc_error *error);

/* The peer refuses a function of ours, or only the payload that is under way; ep->tx.refusal
 * has the reason. Ends calls with a large payload, or notifies the payload's origin. */
void tci_invocation_refused(tc_ep *ep, uint16_t slot, bool payload_only);

/* Handles a frame that carries a part of a reply. TC_E_CORRUPT. */
TC_MUST_CHECK tc_status tci_invocation_reply(tc_ep *ep, const uint8_t *payload, size_t size,
                                             tc_error *err);

#endif
