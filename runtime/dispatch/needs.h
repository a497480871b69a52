/* Requests for code that lie behind a frame which waits for code itself. Both sides of an
 * endpoint may send code that is too large for a frame, at the same time: then the request of
 * each side lies behind the other's waiting frame, and is never answered in its turn. */
#ifndef TCI_NEEDS_H
#define TCI_NEEDS_H

#include "core/ep.h"

/* Answers the NEED frames that have come behind the frame at the head. Consumes nothing. */
void tci_needs_answer(tc_ep *ep);

#endif
