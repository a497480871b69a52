/* Calls of functions that ask for alignment (TC_PAYLOAD_ALIGN, TC_PAYLOAD_READONLY): what
 * dispatch's own loop is for all others. */
#ifndef TCI_ALIGNED_CALLS_H
#define TCI_ALIGNED_CALLS_H

#include "core/current.h"
#include "core/ep.h"

/* Runs them from the head of the ring on, up to a position, until there is a frame that needs
 * more judging than this. Returns how many. */
unsigned tci_aligned_calls_run(tc_ep *ep, tci_current *current, uint64_t end);

#endif
