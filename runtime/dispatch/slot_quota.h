/* What slots of the peers of one identity hold together (core/quota.h has the rest). */
#ifndef TCI_SLOT_QUOTA_H
#define TCI_SLOT_QUOTA_H

#include "core/ep.h"

/* Before a slot of ep's takes a function: `known` if it is here already, or what the section
 * says of it. A function counts once, however many slots have it, and with all it takes, also
 * where others use it, too. TC_E_TOO_LARGE: the options quota_functions, quota_code_bytes. */
TC_MUST_CHECK tc_status tci_slot_quota_check(const tc_ep *ep, const tci_code_section *section,
                                             const tc_ifunc *known, tc_error *err);

#endif
