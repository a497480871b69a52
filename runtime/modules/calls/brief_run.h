/* Runs calls and answers in their short form (TCI_BRIEF), which most calls have. */
#ifndef TCI_BRIEF_RUN_H
#define TCI_BRIEF_RUN_H

#include "core/ep.h"

/* The operations run_brief and run_brief_counted of tci_calls_ops, which has their contract. */
unsigned tci_brief_run(tc_ep *ep, uint64_t end);
unsigned tci_brief_run_counted(tc_ep *ep, uint64_t end);

#endif
