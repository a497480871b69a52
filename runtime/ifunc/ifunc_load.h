/* How a function of the registry becomes callable, gets optimised code, and loses it again.
 * Knows one function at a time; what there is in all, and who has to leave, is registry.h's. */
#ifndef TCI_IFUNC_LOAD_H
#define TCI_IFUNC_LOAD_H

#include "ifunc/registry.h"

/* Makes entry.* callable in this process, and waits for that; at once when it is. A failure is
 * remembered. Statuses of tci_code_unit_load. */
TC_MUST_CHECK tc_status tci_ifunc_load(tc_ifunc *fn, tc_error *err);

/* The same without waiting: TC_E_AGAIN while a thread loads it. */
TC_MUST_CHECK tc_status tci_ifunc_load_soon(tc_ifunc *fn, tc_error *err);

/* Its calls_left have come down to 0: it is called often. */
void tci_ifunc_load_tier_up(tc_ifunc *fn);

/* Takes what its job gave, if that has ended. No function may be running. */
bool tci_ifunc_load_take_finished(tc_ifunc *fn);

/* Code, job and entries are gone afterwards. */
void tci_ifunc_load_undo(tc_ifunc *fn);

/* Unloads a function that was loaded and refuses it from now on. */
void tci_ifunc_load_refuse(tc_ifunc *fn, const tc_error *error);

#endif
