/* What a peer holds: its libraries, and the packages that it has from its start. */
#ifndef INFO_HOLDINGS_H
#define INFO_HOLDINGS_H

#include "info_fields.h"

#include <tc/endpoint.h>

/* Asks the peer and prints what it says. TC_E_UNSUPPORTED (a build without LLVM),
 * TC_E_CORRUPT (it is no such answer), and those of tc_call. */
TC_MUST_CHECK tc_status info_holdings_print(tc_ep *ep, output_format format, tc_error *err);

#endif
