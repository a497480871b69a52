/* Limits the functions that slots hold: those of all peers of one identity together, by options
 * (core/quota.h has the other quotas), and those of each peer, so that it leaves something to
 * others. Functions that can be evicted take nothing from others; functions with variables of
 * their own cannot be evicted. */
#ifndef TCI_SLOT_QUOTA_H
#define TCI_SLOT_QUOTA_H

#include "core/ep.h"

/* Called before a slot of ep takes a function: `known` if it is here already, otherwise the one
 * that `section` describes. A function counts once, however many slots hold it, and with all
 * its memory, also where others use it, too. TC_E_TOO_LARGE: the options quota_functions,
 * quota_code_bytes. */
TC_MUST_CHECK tc_status tci_slot_quota_check(const tc_ep *ep, const tci_code_section *section,
                                             const tc_ifunc *known, tc_error *err);

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
