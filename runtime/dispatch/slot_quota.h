/* Limits the functions that slots of one peer hold, so that it leaves something to others.
 * Functions that can be evicted take nothing from others; functions with variables of their own
 * cannot be evicted. */
#ifndef TCI_SLOT_QUOTA_H
#define TCI_SLOT_QUOTA_H

#include "core/ep.h"

/* The functions that slots hold. One counts once, however many slots hold it, and with all its
 * memory, also where others use it, too. */
typedef struct tci_holding {
    uint64_t functions;
    uint64_t bytes;
    uint64_t seen[65536 / 64]; /* a bit for each function, by its index */
} tci_holding;

/* Adds the functions of the endpoint's slots. */
void tci_slot_quota_add(tci_holding *h, const tc_ep *ep);
uint64_t tci_slot_quota_bytes(const tc_ifunc *fn);

static inline bool tci_slot_quota_has(const tci_holding *h, const tc_ifunc *fn)
{
    return (h->seen[fn->index / 64] >> fn->index % 64 & 1) != 0;
}

/* Called before a slot of ep takes a function that is not here yet. TC_E_TOO_LARGE: functions
 * of ep that cannot be evicted take three quarters of the option functions_max. */
TC_MUST_CHECK tc_status tci_slot_quota_check_places(const tc_ep *ep, tc_error *err);

/* Called when fn, which a slot of ep holds, is loaded. TC_E_TOO_LARGE: with it, functions of ep
 * that cannot be evicted take more than three quarters of the memory that those of others leave
 * of the option code_memory_max. So some memory always remains, for other peers and for
 * functions that can be evicted. */
TC_MUST_CHECK tc_status tci_slot_quota_check_memory(const tc_ep *ep, const tc_ifunc *fn,
                                                    tc_error *err);

#endif
