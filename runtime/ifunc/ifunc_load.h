/* How a function of the registry becomes callable, gets optimised code, and loses it again.
 * Knows one function at a time; what there is in all, and who has to leave, is registry.h's. */
#ifndef TCI_IFUNC_LOAD_H
#define TCI_IFUNC_LOAD_H

#include "ifunc/registry.h"

/* Makes entry.* callable in this process, and waits for that; at once when it is. A failure is
 * remembered; one for want of memory (TC_E_NO_MEMORY) only until somebody has heard of it.
 * Statuses of tci_code_unit_load. */
TC_MUST_CHECK tc_status tci_ifunc_load(tc_ifunc *fn, tc_error *err);

/* The same without waiting: TC_E_AGAIN while a thread loads it. */
TC_MUST_CHECK tc_status tci_ifunc_load_soon(tc_ifunc *fn, tc_error *err);

/* It was called often, or for long. */
void tci_ifunc_load_tier_up(tc_ifunc *fn);

typedef enum tci_load_end {
    TCI_LOAD_UNDER_WAY,
    TCI_LOAD_ENDED,
    TCI_TIER_UP_ENDED, /* there is better code */
    TCI_TIER_UP_FAILED
} tci_load_end;

/* Takes what its job gave, if that has ended; tci_ifunc_load_announce is then to be called. No
 * function may be running. */
tci_load_end tci_ifunc_load_take_finished(tc_ifunc *fn);
/* Tells endpoints that its entries have changed. */
void tci_ifunc_load_announce(tc_ifunc *fn, bool tiered_up);

/* A failure for want of memory is none of the function. */
void tci_ifunc_load_forget_shortage(tc_ifunc *fn);

/* Code, job and entries are gone afterwards. */
void tci_ifunc_load_undo(tc_ifunc *fn);

/* What was refused as not trusted may be loaded now; `other_rules`: and so may what failed for
 * any reason. */
void tci_ifunc_load_forgive(tc_ifunc *fn, bool other_rules);

/* A library that it is bound to is out of force: binds it to the one that has the name now, or has it
 * loaded again, or refused. Its slots may be closed then. No function may be running, but for one that
 * is a library. */
void tci_ifunc_load_rebind(tc_ifunc *fn);

/* Unloads a function that was loaded and refuses it from now on; the error's text begins with
 * its name. */
void tci_ifunc_load_refuse(tc_ifunc *fn, const tc_error *error);

#endif
