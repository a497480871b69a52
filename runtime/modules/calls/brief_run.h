/* Runs calls and answers in their short form (TCI_BRIEF), which most calls have. */
#ifndef TCI_BRIEF_RUN_H
#define TCI_BRIEF_RUN_H

#include "core/ep.h"

/* The operation run_brief of tci_calls_ops, which has its contract. */
unsigned tci_brief_run(tc_ep *ep, uint64_t end);

#endif
