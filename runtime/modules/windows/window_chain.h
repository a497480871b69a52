/* Runs chains of operations at the owner. */
#ifndef TCI_WINDOW_CHAIN_H
#define TCI_WINDOW_CHAIN_H

#include "modules/windows/window_request.h"
#include "modules/windows/windows.h"

/* Checks a chain of this peer's against the windows, and runs it. A failure of the checks has
 * changed nothing; one of a step whose offset depends on a result, or of an allocation, leaves
 * the steps before it done.
 *
 *   request     checked by tci_window_request_decode
 *   buffer      TCI_WINDOW_ANSWER_BYTES + request->result_bytes
 *   answer_out  the answer, inside the buffer, whose end is the answer's
 *
 * TC_E_NOT_FOUND, TC_E_REFUSED, TC_E_INVALID, TC_E_NO_MEMORY (the arena is full): the text
 * names the step. */
TC_MUST_CHECK tc_status tci_window_chain_run(const tci_windows *windows, const tc_ep *peer,
                                             const tci_window_request *request, uint8_t *buffer,
                                             const uint8_t **answer_out, tc_error *err);

#endif
