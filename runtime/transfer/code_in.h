/* Code outside the ring, for archives too large for a frame. The target asks with NEED, the
 * source sends fragments as CODE messages (code_out.h), and the target assembles them while the
 * function's frame waits at the head of the ring. */
#ifndef TCI_CODE_IN_H
#define TCI_CODE_IN_H

#include "core/ep.h"

/* Returns the code for which the frame at the head of the ring waits, and requests it once.
 * TC_OK: *bytes_out has archive, deps and signature in this order, until tci_code_in_forget.
 * TC_E_AGAIN: it is on the way. TC_E_TOO_LARGE, TC_E_NO_MEMORY: it can never arrive. Its size
 * is that of rx.incoming.section: the frame may have another one by now
 * (tci_code_in_is_awaited). */
TC_MUST_CHECK tc_status tci_code_in_await(tc_ep *ep, uint16_t slot,
                                          const tci_code_section *section,
                                          const uint8_t **bytes_out, tc_error *err);
/* Returns whether a frame with this section may be the one that code was requested for; always
 * true without a request. False: the peer has changed the frame meanwhile. */
bool tci_code_in_is_awaited(const tc_ep *ep, const tci_code_section *section);
/* Returns whether all of the requested code has arrived. */
bool tci_code_in_complete(const tc_ep *ep);
/* Forgets the request and frees its bytes. */
void tci_code_in_forget(tc_ep *ep);

/* Takes a fragment that has arrived. May be called inside UCX's handler: only copies.
 * Unrequested fragments are dropped. */
void tci_code_in_fragment(tc_ep *ep, const uint8_t *bytes, size_t size);

#endif
