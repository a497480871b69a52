/* What slots may hold: those of the peers of one identity together, by options (core/quota.h has
 * the rest), and those of each peer, so that it leaves something to others. What can leave by
 * itself takes nothing from anybody; functions with variables of their own cannot. */
#ifndef TCI_SLOT_QUOTA_H
#define TCI_SLOT_QUOTA_H

#include "core/ep.h"

/* Before a slot of ep's takes a function: `known` if it is here already, or what the section
 * says of it. A function counts once, however many slots have it, and with all it takes, also
 * where others use it, too. TC_E_TOO_LARGE: the options quota_functions, quota_code_bytes. */
TC_MUST_CHECK tc_status tci_slot_quota_check(const tc_ep *ep, const tci_code_section *section,
                                             const tc_ifunc *known, tc_error *err);

/* Before a slot of ep's takes a function that is not here yet. TC_E_TOO_LARGE: those of ep that
 * cannot leave take three quarters of the option functions_max. */
TC_MUST_CHECK tc_status tci_slot_quota_check_places(const tc_ep *ep, tc_error *err);

/* Once fn, which a slot of ep's holds, is loaded. TC_E_TOO_LARGE: with it, those of ep that cannot
 * leave take more than three quarters of what the others' leave of the option code_memory_max. So
 * there is always something left, for other peers and for functions that do leave. */
TC_MUST_CHECK tc_status tci_slot_quota_check_memory(const tc_ep *ep, const tc_ifunc *fn,
                                                    tc_error *err);

#endif
