/* One message's stay here: its function runs, and may answer it, send itself on, or leave the
 * answer to somebody else. What it does not do is done when it returns. */
#ifndef TCI_VISIT_H
#define TCI_VISIT_H

#include "core/ep.h"
#include "wire/route.h"

typedef struct tci_visit {
    tci_route route;   /* call 0: nothing (more) to be answered */
    bool moved;        /* sent on, answered, or left to somebody */
    tc_status failure; /* of a forward or an answer, if nothing else comes of it; TC_OK: none */
    char text[256];
} tci_visit;

/* Reads the route at the end of a payload; *size becomes the size of what is in front of it.
 * TC_E_CORRUPT. */
TC_MUST_CHECK tc_status tci_visit_begin(tci_visit *visit, const uint8_t *payload, size_t *size,
                                        tc_error *err);
/* The function has returned. */
void tci_visit_end(tci_visit *visit, tc_ep *ep);

/* Such a message is not run: its origin hears why. */
void tci_visit_refuse(tc_ep *ep, const uint8_t *payload, size_t size, const tc_error *error);

/* The peer refuses a function of ours, or just the payload that is under way (ep->tx.refusal): who
 * called with a large one hears of it. */
void tci_visit_refused(tc_ep *ep, uint16_t slot, bool payload_only);

/* A frame that brings a part of an answer. TC_E_CORRUPT. */
TC_MUST_CHECK tc_status tci_visit_reply(tc_ep *ep, const uint8_t *payload, size_t size,
                                        tc_error *err);

#endif
