/* Searches the slots that hold a function: mostly one, which the function knows. */
#ifndef TCI_SLOT_SEARCH_H
#define TCI_SLOT_SEARCH_H

#include "core/ep.h"

/* Returns the endpoint of the only slot that holds it; NULL: a walk has to find all of them. */
tc_ep *tci_slot_search_only(const tci_core *core, const tc_ifunc *fn);

/* Calls `visit` for each slot that holds it. */
void tci_slot_search_each(tci_core *core, tc_ifunc *fn,
                          void (*visit)(tc_ep *ep, uint16_t slot, tc_ifunc *fn));

/* Returns whether a callable slot holds it, so that its code may not be evicted. */
bool tci_slot_search_is_called(const tci_core *core, const tc_ifunc *fn);

#endif
