/* Waiting: what blocking calls do between two turns of tc_progress. */
#ifndef TCI_WAIT_H
#define TCI_WAIT_H

#include "context/context_object.h"

/* TC_E_IO. */
TC_MUST_CHECK tc_status tci_wait_init(tc_context *ctx, tc_error *err);

/* Peers need not ring any more: this side is looking. */
void tci_wait_disarm(tc_context *ctx);

/* One idle turn of a blocking call: spins, yields or sleeps, depending on how long nothing
 * has come. */
void tci_wait_idle(tc_context *ctx, uint64_t deadline_ns);

/* One turn of a blocking call, busy or idle. TC_E_TIMEOUT: the deadline has passed. */
TC_MUST_CHECK tc_status tci_wait_turn(tc_context *ctx, uint64_t deadline_ns);

/* A blocking call stands on ep from here on: the endpoint is not freed meanwhile. */
void tci_wait_pin(tc_ep *ep);
/* It does so no longer. An accepted endpoint whose peer went meanwhile is freed by the next
 * tc_progress after that call, not inside it. */
void tci_wait_unpin(tc_ep *ep);

#endif
