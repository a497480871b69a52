/* Large payloads that the link brings beside the ring: the receiving half of payload_out.h.
 * Parts may arrive in any order, and before the frame that names their payload. Their memory is
 * bounded (TCI_OUT_OF_LINE_*). */
#ifndef TCI_PAYLOAD_IN_H
#define TCI_PAYLOAD_IN_H

#include "core/ep.h"

/* Does a tci_am_payload_handler's work. Ends the endpoint if the message fits no payload. */
bool tci_payload_in_take(tc_ep *ep, const tci_payload_header *header, size_t size,
                         tci_sink *sink_out);

/* Finds the payload that a frame at the ring's head names. TC_OK: *bytes_out has all of it,
 * until tci_payload_in_done. TC_E_AGAIN: not all of it is here. TC_E_TOO_LARGE, TC_E_NO_MEMORY:
 * refused, and the caller still has to call tci_payload_in_done. TC_E_CORRUPT. */
TC_MUST_CHECK tc_status tci_payload_in_find(tc_ep *ep, const tci_fragment *named,
                                            uint8_t **bytes_out, tc_error *err);
/* Releases the payload last found. Data that arrives for it later is dropped. */
void tci_payload_in_done(tc_ep *ep);

/* Returns whether a frame at the ring's head waits for a payload that is not complete yet. */
bool tci_payload_in_stands(const tc_ep *ep);

/* Returns whether the address is in the view of the payload that tci_payload_in_find gave, on
 * which the function runs. May be called in a signal handler. */
bool tci_payload_in_holds(const tc_ep *ep, uintptr_t address);

/* Called after the link is closed. */
void tci_payload_in_fini(tc_ep *ep);

#endif
