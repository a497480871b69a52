/* Lists the libraries of a peer, and the packages that it opened when it started. */
#ifndef INFO_HOLDINGS_H
#define INFO_HOLDINGS_H

#include "info_fields.h"

#include <tc/endpoint.h>

/* Asks the peer and prints its answer. Statuses: TC_E_UNSUPPORTED (a build without LLVM),
 * TC_E_CORRUPT (a malformed answer), and those of tc_call. */
TC_MUST_CHECK tc_status info_holdings_print(tc_ep *ep, output_format format, tc_error *err);

#endif
