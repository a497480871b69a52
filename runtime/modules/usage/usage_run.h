/* Batches with counts of their calls, and run times with the option usage at `times`. */
#ifndef TCI_USAGE_RUN_H
#define TCI_USAGE_RUN_H

#include "modules/usage/usage_table.h"

/* Operations of tci_usage_ops, which has their contracts. */
unsigned tci_usage_run_batch(tc_ep *ep, uint64_t bytes);
void tci_usage_run_call(tc_ep *ep, tc_ifunc *fn, void *payload, size_t size);
void tci_usage_run_injected(tc_ep *ep, const tci_frame *f, const uint8_t *frame);

#endif
