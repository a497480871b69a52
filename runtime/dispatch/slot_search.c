/* Walks over the slots of all endpoints, and the way around them. */
#include "dispatch/slot_search.h"

tc_ep *tci_slot_search_only(const tci_core *core, const tc_ifunc *fn)
{
    tc_ep *ep = fn->bound == 1 ? tci_core_find(core, fn->bound_connection) : NULL;
    const size_t slot = fn->bound_slot;
    const bool holds = ep != NULL && slot < ep->rx.slot_count && ep->rx.slots[slot].fn == fn;
    return holds ? ep : NULL;
}

void tci_slot_search_each(tci_core *core, tc_ifunc *fn,
                          void (*visit)(tc_ep *ep, uint16_t slot, tc_ifunc *fn))
{
    tc_ep *only = tci_slot_search_only(core, fn);
    if (only != NULL)
        visit(only, fn->bound_slot, fn);
    for (tc_ep *ep = only == NULL ? core->first : NULL; ep != NULL; ep = ep->next) {
        for (size_t slot = 0; slot < ep->rx.slot_count; slot++)
            if (ep->rx.slots[slot].fn == fn)
                visit(ep, (uint16_t)slot, fn);
    }
}

bool tci_slot_search_is_called(const tci_core *core, const tc_ifunc *fn)
{
    for (const tc_ep *ep = core->first; ep != NULL; ep = ep->next) {
        for (size_t slot = 0; slot < ep->rx.slot_count; slot++)
            if (ep->rx.slots[slot].fn == fn && ep->rx.slots[slot].callable)
                return true;
    }
    return false;
}
