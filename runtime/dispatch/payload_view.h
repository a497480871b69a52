/* Payloads that functions may not write (option payload=readonly). The code that brings them
 * writes elsewhere, to another mapping of the same memory: of a ring (tci_region_view), or of a
 * payload that is assembled, brought beside the ring or copied (base/landing.h). A peer's
 * segment (transfer/staging.h) is mapped once, read-only, as this side never writes to it. All
 * mappings are chosen when the memory is made, so the path of a message does not know of the
 * option. */
#ifndef TCI_PAYLOAD_VIEW_H
#define TCI_PAYLOAD_VIEW_H

#include "core/ep.h"

/* Returns whether a store to that address has faulted because the option maps payloads of this
 * endpoint, on which a function runs, read-only there. May be called in a signal handler. */
bool tci_payload_view_holds(const tc_ep *ep, const void *address);
/* The same for payloads that are read-only because the function asked for it
 * (TC_PAYLOAD_READONLY). */
bool tci_payload_view_was_asked(const tc_ep *ep, const void *address);

#endif
