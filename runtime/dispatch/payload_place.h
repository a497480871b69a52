/* Where a function runs on its payload: where it lies, if the function can have it there. One that
 * asks for alignment (TC_PAYLOAD_ALIGN) gets a copy of what lies elsewhere: payloads that are too
 * small to be worth a lead (transfer/lead.h), what comes from a peer that knows of none, and what a
 * peer has put where it does not belong. So no peer can make a function's loads fault. One that
 * asks for payloads that are read-only (TC_PAYLOAD_READONLY) gets a copy of all, in pages that it
 * cannot write to. */
#ifndef TCI_PAYLOAD_PLACE_H
#define TCI_PAYLOAD_PLACE_H

#include "core/core.h"

/* *payload becomes a multiple of `alignment`: as it is, or a copy that is good until the next.
 * TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_payload_place(tci_core *core, unsigned alignment, uint8_t **payload,
                                          size_t size, tc_error *err);

/* As the function asks, for a CALL, CODE or FRAGMENT frame's, whose lead is passed over.
 * TC_E_CORRUPT: that is malformed. */
TC_MUST_CHECK tc_status tci_payload_place_framed(tci_core *core, const tci_frame *f,
                                                 const tc_ifunc *fn, uint8_t **payload,
                                                 size_t *size, tc_error *err);

#endif
