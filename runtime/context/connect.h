/* The parts of calls that connect: each blocks until its endpoint is open or has failed. */
#ifndef TCI_CONNECT_H
#define TCI_CONNECT_H

#include "context/context_object.h"

/* Returns the deadline of a call with that timeout; 0: the option connect_timeout. */
uint64_t tci_connect_deadline(const tci_core *core, uint64_t timeout_ns);

/* Progresses until the endpoint is open or has failed; frees it when it failed. Its deadline is
 * the handshake's. *heard_out: the peer's HELLO has arrived, or was not needed to reach it.
 * TC_E_AGAIN: its stream stalls, and another attempt is better; `redials` were made. */
TC_MUST_CHECK tc_status tci_connect_wait(tc_context *ctx, tc_ep *ep, unsigned redials,
                                         tc_ep **ep_out, bool *heard_out, tc_error *err);

/* Reports a call from inside an ifunc: TC_E_BUSY. */
tc_status tci_connect_busy(tc_error *err);

#endif
