/* Payloads that functions may not write (option payload=readonly). What brings them writes elsewhere,
 * to another mapping of the same memory: of a ring (tci_region_view), of what is assembled, brought
 * beside the ring or copied (base/landing.h). A peer's segment (transfer/staging.h) is mapped once,
 * read-only, as nobody here writes to it. All were chosen when the memory was made, so the path of a
 * message does not know of the option. */
#ifndef TCI_PAYLOAD_VIEW_H
#define TCI_PAYLOAD_VIEW_H

#include "core/ep.h"

/* Whether a store to that address has faulted because functions see payloads there, of this endpoint,
 * on which one runs. May be called in a signal handler. */
bool tci_payload_view_holds(const tc_ep *ep, const void *address);
/* The same of what is read-only because the function asked for that (TC_PAYLOAD_READONLY). */
bool tci_payload_view_was_asked(const tc_ep *ep, const void *address);

#endif
