/* What is said of functions that became callable. */
#ifndef TCI_LOAD_REPORT_H
#define TCI_LOAD_REPORT_H

#include "core/ep.h"

/* How a function became callable, or got better code (total_ns 0), for the log and for
 * tc_context_set_load_callback. */
void tci_load_report_notify(tci_core *core, const tc_ifunc *fn, uint64_t execution_ns,
                            uint64_t total_ns);

/* That a peer may call a function from now on, for the option `audit`. */
void tci_load_report_audit(const tc_ep *ep, const tc_ifunc *fn);

/* The first call of a function, which began then, has returned. */
void tci_load_report_first_call(tci_core *core, tc_ifunc *fn, uint64_t called_ns);

#endif
