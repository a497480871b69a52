/* Reports functions that became callable. */
#ifndef TCI_LOAD_REPORT_H
#define TCI_LOAD_REPORT_H

#include "core/ep.h"

/* Reports to the log and to tc_context_set_load_callback how a function became callable, or got
 * better code (total_ns 0). */
void tci_load_report_notify(tci_core *core, tc_ifunc *fn, uint64_t execution_ns,
                            uint64_t total_ns);

/* Called when the first call of a function has returned. It began at called_ns. */
void tci_load_report_first_call(tci_core *core, tc_ifunc *fn, uint64_t called_ns);

#endif
