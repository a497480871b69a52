/* Blocking calls of an endpoint inside functions that may wait. */
#ifndef TCI_TASK_CALLS_H
#define TCI_TASK_CALLS_H

#include "core/ep.h"

/* See tc_ep_flush. */
tc_status tci_task_calls_flush(tc_ep *ep, uint64_t timeout_ns, tc_error *err);
/* See tc_send_wait. */
tc_status tci_task_calls_send(tc_ep *ep, tc_ifunc *fn, const void *source_args, size_t size,
                              uint64_t timeout_ns, tc_error *err);

#endif
