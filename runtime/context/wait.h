/* Waiting: what blocking calls do between two turns of tc_progress. */
#ifndef TCI_WAIT_H
#define TCI_WAIT_H

#include "base/patience.h"
#include "context/guests.h"

/* TC_E_IO. TC_E_UNSUPPORTED: this processor lacks what the option `wait` names. */
TC_MUST_CHECK tc_status tci_wait_init(tc_context *ctx, tc_error *err);

/* Peers need not ring any more: this side is looking. */
void tci_wait_disarm(tc_context *ctx);

/* One turn of a blocking call, busy or idle. Where a thread serves the context, that one has the
 * turns, and this waits for what they bring. TC_E_TIMEOUT: the deadline has passed. */
TC_MUST_CHECK tc_status tci_wait_turn(tc_context *ctx, uint64_t deadline_ns);
/* The same by a call that waits for one thing. */
TC_MUST_CHECK tc_status tci_wait_turn_for(tc_context *ctx, uint64_t deadline_ns,
                                          const tci_awaited *what);
/* The same by a call that the program may end: TC_E_TIMEOUT also says that it gave up. */
TC_MUST_CHECK tc_status tci_wait_patient_turn(tc_context *ctx, tci_patience *patience,
                                              const tci_awaited *what);
/* A turn that looks at everything, then one that is idle if it found nothing; not beyond the
 * deadline, for what no descriptor shows. */
void tci_wait_service_turn(tc_context *ctx, uint64_t deadline_ns, const tci_awaited *what);
/* Runs what is there. */
void tci_wait_look(tc_context *ctx);
/* One turn of the thread that serves the context: runs what is there, or is idle. */
void tci_wait_serve(tc_context *ctx);

/* A blocking call stands on ep from here on: the endpoint is not freed meanwhile. */
void tci_wait_pin(tc_ep *ep);
/* It does so no longer. An accepted endpoint whose peer went meanwhile is freed by the next
 * tc_progress after that call, not inside it. */
void tci_wait_unpin(tc_ep *ep);

#endif
