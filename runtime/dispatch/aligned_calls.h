/* Runs calls of functions that ask for alignment (TC_PAYLOAD_ALIGN, TC_PAYLOAD_READONLY), as
 * dispatch's own loop does for all other functions. */
#ifndef TCI_ALIGNED_CALLS_H
#define TCI_ALIGNED_CALLS_H

#include "core/current.h"
#include "core/ep.h"

/* Runs such calls from the head of the ring up to position `end`. Stops at a frame that needs
 * further checks. Returns the number of calls run. */
unsigned tci_aligned_calls_run(tc_ep *ep, tci_current *current, uint64_t end);
/* The same, counting them: core/usage_ops.h. */
unsigned tci_aligned_calls_run_counted(tc_ep *ep, tci_current *current, uint64_t end);

#endif
