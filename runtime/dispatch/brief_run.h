/* Runs calls and answers in their short form (TCI_BRIEF), which most calls have. */
#ifndef TCI_BRIEF_RUN_H
#define TCI_BRIEF_RUN_H

#include "core/current.h"
#include "core/ep.h"

/* Runs such frames from the head of the ring up to `end`, and returns their number. Stops in
 * front of any other frame, of one that is not whole, and of the first call of a function: the
 * caller's way handles and checks all. */
unsigned tci_brief_run(tc_ep *ep, tci_current *current, uint64_t end);

#endif
