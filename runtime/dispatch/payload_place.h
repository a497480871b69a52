/* Chooses the address of the payload that a function runs on: where the payload lies, if the
 * function accepts that. A function that asks for alignment (TC_PAYLOAD_ALIGN) gets a copy of
 * payloads that lie elsewhere: those that are too small to be worth a lead
 * (transfer/frame_out.c), those of a peer that does not know leads, and those that a peer has
 * put at a wrong offset. So no peer can make a function's loads fault. A function that asks for
 * read-only payloads (TC_PAYLOAD_READONLY) gets a copy of every payload, in pages that it
 * cannot write to. */
#ifndef TCI_PAYLOAD_PLACE_H
#define TCI_PAYLOAD_PLACE_H

#include "core/core.h"

/* Makes *payload a multiple of `alignment`: unchanged, or a copy that is valid until the next
 * one. TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_payload_place(tci_core *core, unsigned alignment, uint8_t **payload,
                                          size_t size, tc_error *err);

/* Puts the payload of a CALL, CODE or FRAGMENT frame as the function asks, and skips its lead.
 * TC_E_CORRUPT: the lead is malformed. */
TC_MUST_CHECK tc_status tci_payload_place_framed(tci_core *core, const tci_frame *f,
                                                 const tc_ifunc *fn, uint8_t **payload,
                                                 size_t *size, tc_error *err);

#endif
