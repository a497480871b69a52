/* One round trip to a peer. The endpoint asks the peer to report how far it has read, by a
 * frame that every peer answers, whatever code it accepts (TCI_CONTROL_CREDIT of wire/frame.h).
 * So it measures the way of a message and the peer's thread, and runs no function there. */
#ifndef PING_ROUND_H
#define PING_ROUND_H

#include <stdint.h>
#include <tc/endpoint.h>

/* Blocks, progressing the context. *ns_out: the time of the round trip, on TC_OK.
 *
 *   as tc_ep_flush  TC_E_TIMEOUT: the answer may still come, before that of the next one */
TC_MUST_CHECK tc_status ping_round(tc_ep *ep, uint64_t timeout_ns, uint64_t *ns_out,
                                   tc_error *err);

#endif
