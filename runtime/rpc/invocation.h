/* An invocation: a function runs on a message that has a route. It may reply, forward itself,
 * or detach the reply. If it does none of these, an empty reply leaves when it returns. */
#ifndef TCI_INVOCATION_H
#define TCI_INVOCATION_H

#include "core/ep.h"
#include "wire/route.h"

typedef struct tci_invocation {
    tci_route route;   /* call 0: no reply is owed */
    bool moved;        /* forwarded, replied to, or detached */
    tc_status failure; /* of a forward or an answer, if nothing else comes of it; TC_OK: none */
    char text[256];
} tci_invocation;

/* Reads the route at the end of a payload; *size becomes the size of what is in front of it.
 * TC_E_CORRUPT. */
TC_MUST_CHECK tc_status tci_invocation_begin(tci_invocation *invocation, const uint8_t *payload,
                                             size_t *size, tc_error *err);
/* The function has returned. */
void tci_invocation_end(tci_invocation *invocation, tc_ep *ep);

/* Such a message is not run: its origin hears why. */
void tci_invocation_refuse(tc_ep *ep, const uint8_t *payload, size_t size,
                           const tc_error *error);

/* The peer refuses a function of ours, or just the payload that is under way (ep->tx.refusal):
 * who called with a large one hears of it. */
void tci_invocation_refused(tc_ep *ep, uint16_t slot, bool payload_only);

/* A frame that brings a part of an answer. TC_E_CORRUPT. */
TC_MUST_CHECK tc_status tci_invocation_reply(tc_ep *ep, const uint8_t *payload, size_t size,
                                             tc_error *err);

#endif
