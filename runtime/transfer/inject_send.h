/* Sending messages that bring their code along. */
#ifndef TCI_INJECT_SEND_H
#define TCI_INJECT_SEND_H

#include "transfer/outgoing.h"

/* One with `injected`, as most are: nothing waits, its payload is a plain copy, and there is room at
 * once. False: tci_send_message does the same whatever it takes, or says why not. */
bool tci_inject_try_send(tc_ep *ep, const tci_outgoing *out);

/* One with `injected`, now. TC_E_AGAIN: no room. TC_E_TOO_LARGE: more than a frame.
 * TC_E_PAYLOAD.
 */
TC_MUST_CHECK tc_status tci_inject_send(tc_ep *ep, const tci_outgoing *out);

/* What an INJECT frame carries behind its payload, made once per function and architecture: the
 * image for the target of that number (archive_layout.h) that every CPU of it can run; owned by
 * the function. TC_E_NO_SLICE: it has none; TC_E_UNSUPPORTED: one that may throw;
 * TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_inject_section(tc_ifunc *fn, unsigned target,
                                           const uint8_t **bytes_out, size_t *size_out,
                                           tc_error *err);

#endif
