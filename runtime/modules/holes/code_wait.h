/* The code that a peer's filled archive names, while it is not here. */
#ifndef TCI_CODE_WAIT_H
#define TCI_CODE_WAIT_H

#include "core/ep.h"

/* See tci_holes_ops. */
TC_MUST_CHECK tc_status tci_code_wait_find(tc_ep *ep, uint16_t slot, const uint8_t *attached,
                                           const tci_code_section *section, tc_ifunc **fn_out,
                                           tc_error *err);

#endif
