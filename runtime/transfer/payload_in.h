/* Large payloads that UCX brings beside the ring: the receiving half of payload_out.h. Parts
 * may arrive in any order, and before the frame that names their payload. The memory they take
 * is bounded (TCI_OUT_OF_LINE_*). */
#ifndef TCI_PAYLOAD_IN_H
#define TCI_PAYLOAD_IN_H

#include "core/ep.h"

/* A tci_payload_handler's work: ends the endpoint when the message fits nothing. */
bool tci_payload_in_take(tc_ep *ep, const tci_payload_header *header, size_t size,
                         tci_sink *sink_out);

/* The payload that a frame at the ring's head names. TC_OK: *bytes_out has it whole, until
 * tci_payload_in_done. TC_E_AGAIN: not all of it is here. TC_E_TOO_LARGE, TC_E_NO_MEMORY:
 * refused, tci_payload_in_done is owed. TC_E_CORRUPT. */
TC_MUST_CHECK tc_status tci_payload_in_find(tc_ep *ep, const tci_fragment *named,
                                            uint8_t **bytes_out, tc_error *err);
/* The one that was asked for last is used, or passed over: what still comes of it is dropped.
 */
void tci_payload_in_done(tc_ep *ep);

/* A frame at the ring's head waits for its payload, which is not whole yet. */
bool tci_payload_in_stands(const tc_ep *ep);

/* Whether the address is in the payload that tci_payload_in_find gave, where it is run on. May be
 * called in a signal handler. */
bool tci_payload_in_holds(const tc_ep *ep, uintptr_t address);

/* After the link is closed. */
void tci_payload_in_fini(tc_ep *ep);

#endif
