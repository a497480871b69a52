/* Makes a function of the registry callable, gets it optimised code, and unloads it. Handles
 * one function at a time; the totals, and the choice of functions to evict, are in
 * registry.h. */
#ifndef TCI_IFUNC_LOAD_H
#define TCI_IFUNC_LOAD_H

#include "ifunc/registry.h"

/* Makes entry.* callable in this process, and waits for that; returns at once if it is. A
 * failure is remembered; a lack of memory (TC_E_NO_MEMORY) only until a caller has received it.
 * Statuses of tci_code_unit_load. */
TC_MUST_CHECK tc_status tci_ifunc_load(tc_ifunc *fn, tc_error *err);

/* Loads a function that makes its payloads, and asks it for the most bytes that one made of
 * these arguments has. TC_E_PAYLOAD: no memory has that size. TC_E_UNSUPPORTED: only the
 * original's API can send it. Statuses of tci_ifunc_load. */
TC_MUST_CHECK tc_status tci_ifunc_load_max_size(tc_ifunc *fn, const void *source_args,
                                                size_t size, size_t *max_out, tc_error *err);

/* The same without waiting: TC_E_AGAIN while a thread loads it. */
TC_MUST_CHECK tc_status tci_ifunc_load_soon(tc_ifunc *fn, tc_error *err);

/* Requests optimised code for a function that was called often, or for long. */
void tci_ifunc_load_tier_up(tc_ifunc *fn);

typedef enum tci_load_end {
    TCI_LOAD_UNDER_WAY,
    TCI_LOAD_ENDED,
    TCI_TIER_UP_ENDED, /* there is better code */
    TCI_TIER_UP_FAILED
} tci_load_end;

/* Takes the result of its job, if that has ended; the caller then calls
 * tci_ifunc_load_announce. No function may be running. */
tci_load_end tci_ifunc_load_take_finished(tc_ifunc *fn);
/* Notifies endpoints that its entries have changed. */
void tci_ifunc_load_announce(tc_ifunc *fn, bool tiered_up);

/* Forgets a failure for lack of memory: it is not the function's own. */
void tci_ifunc_load_forget_shortage(tc_ifunc *fn);

/* Unloads the function: its code, job and entries are gone afterwards. The code's memory stays
 * while messages of it wait. */
void tci_ifunc_load_undo(tc_ifunc *fn);

/* Allows a function to be loaded again that was refused as not trusted; with `other_rules`, one
 * that failed for any reason. */
void tci_ifunc_load_forgive(tc_ifunc *fn, bool other_rules);

/* A library that the function is bound to is out of force: binds it to the one that has the
 * name now, or has it loaded again, or refuses it. Its slots may be closed then. No function
 * may be running, except one that is a library. */
void tci_ifunc_load_rebind(tc_ifunc *fn);

/* Unloads a function that was loaded and refuses it from now on. The error's text begins with
 * its name. */
void tci_ifunc_load_refuse(tc_ifunc *fn, const tc_error *error);

#endif
