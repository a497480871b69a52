/* Code outside the ring: for archives too large for a frame. The target says NEED, the source
 * sends fragments as active messages, the target puts them together while the function's frame
 * waits at the head of the ring. */
#ifndef TCI_CODE_TRANSFER_H
#define TCI_CODE_TRANSFER_H

#include "core/ep.h"

/* Source: the peer wants the code with this id. */
void tci_code_send(tc_ep *ep, const tci_content_id *id);

/* Target: asks for code, once. False when it can never come (err says why). */
TC_MUST_CHECK bool tci_code_want(tc_ep *ep, uint16_t slot, const tci_code_section *section,
                                 tc_error *err);
/* Target: whether all of the wanted code has come. */
bool tci_code_complete(const tc_ep *ep);
/* Target: forgets what it wanted and frees it. */
void tci_code_forget(tc_ep *ep);

/* Target: a fragment came. Called inside UCX's handler: only copies. Fragments that nobody
 * asked for are dropped. */
void tci_code_fragment(tc_ep *ep, const uint8_t *bytes, size_t size);

#endif
