/* Calls and answers in their short form (TCI_BRIEF): bytes, and the number of the call behind
 * them. Up to 8 bytes take one granule, half the line of a call with a route.
 * docs/decisions/brief-calls.md has the figures. */
#ifndef TCI_BRIEF_OUT_H
#define TCI_BRIEF_OUT_H

#include "core/ep.h"

/* Sends one, if that takes no more than the stores of one frame: messages may leave, the queue
 * is empty, and there is space. False: nothing was sent.
 *
 *   word     the frame's second header word, with TCI_BRIEF and without a size
 *   call     number of the call
 *   bytes    the arguments or the answer, `size` bytes
 *   gathers  short ones may leave later in this turn, with others */
bool tci_brief_out(tc_ep *ep, uint64_t word, uint64_t call, const void *bytes, size_t size,
                   bool gathers);

/* Sends the answer to a call of the peer itself that went well, on the same conditions. */
bool tci_brief_out_answer(tc_ep *ep, uint64_t call, const void *bytes, size_t size);

#endif
