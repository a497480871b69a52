/* Sending messages that bring their code along. */
#ifndef TCI_INJECT_SEND_H
#define TCI_INJECT_SEND_H

#include "transfer/outgoing.h"

/* Sends a message with `injected` in the common case: nothing is queued, its payload is a plain
 * copy, and the ring has space at once. False: tci_send_message handles every case, or reports
 * the reason. */
bool tci_inject_try_send(tc_ep *ep, const tci_outgoing *out);

/* Sends a message with `injected` now. TC_E_AGAIN: no space. TC_E_TOO_LARGE: more than a frame.
 * TC_E_PAYLOAD. */
TC_MUST_CHECK tc_status tci_inject_send(tc_ep *ep, const tci_outgoing *out);

/* Returns the section that an INJECT frame carries behind its payload, made once per function
 * and architecture: the image for the target of that number (archive_layout.h) that runs on
 * every CPU of that target; owned by the function. TC_E_NO_SLICE: the function has no such
 * image. TC_E_UNSUPPORTED: it may throw, has constructors or destructors, or asks for read-only
 * payloads. TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_inject_section(tc_ifunc *fn, unsigned target,
                                           const uint8_t **bytes_out, size_t *size_out,
                                           tc_error *err);

#endif
