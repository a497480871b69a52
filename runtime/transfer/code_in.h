/* Code outside the ring: for archives too large for a frame. The target says NEED, the source
 * sends fragments as active messages (code_out.h), the target puts them together while the
 * function's frame waits at the head of the ring. */
#ifndef TCI_CODE_IN_H
#define TCI_CODE_IN_H

#include "core/ep.h"

/* The code that the frame at the head of the ring waits for, which is asked for once.
 * TC_OK: *bytes_out has it, archive and then deps, until tci_code_in_forget. TC_E_AGAIN: it is on
 * the way. TC_E_TOO_LARGE, TC_E_NO_MEMORY: it can never come. Its size is that of
 * rx.incoming.section: the frame may have another one by now (tci_code_in_is_awaited). */
TC_MUST_CHECK tc_status tci_code_in_await(tc_ep *ep, uint16_t slot,
                                          const tci_code_section *section,
                                          const uint8_t **bytes_out, tc_error *err);
/* Whether a frame with this section may be the one that code was asked for: always, when
 * none was. Otherwise the peer has changed it meanwhile. */
bool tci_code_in_is_awaited(const tc_ep *ep, const tci_code_section *section);
/* Whether all of the wanted code has come. */
bool tci_code_in_complete(const tc_ep *ep);
/* Forgets what it wanted and frees it. */
void tci_code_in_forget(tc_ep *ep);

/* A fragment came. Called inside UCX's handler: only copies. Fragments that nobody
 * asked for are dropped. */
void tci_code_in_fragment(tc_ep *ep, const uint8_t *bytes, size_t size);

#endif
