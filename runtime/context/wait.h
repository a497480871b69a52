/* Waiting: the idle part of blocking calls, between two turns of tc_progress. */
#ifndef TCI_WAIT_H
#define TCI_WAIT_H

#include "base/patience.h"
#include "context/guests.h"

/* TC_E_IO. TC_E_UNSUPPORTED: this processor lacks the instruction for the option `wait`. */
TC_MUST_CHECK tc_status tci_wait_init(tc_context *ctx, tc_error *err);

/* One turn of a blocking call, busy or idle. Where a thread serves the context, that thread
 * makes the turns, and this call waits for them. TC_E_TIMEOUT: the deadline has passed. */
TC_MUST_CHECK tc_status tci_wait_turn(tc_context *ctx, uint64_t deadline_ns);
/* The same for a call that waits for one condition. */
TC_MUST_CHECK tc_status tci_wait_turn_for(tc_context *ctx, uint64_t deadline_ns,
                                          const tci_awaited *what);
/* The same for a call that the program may end: TC_E_TIMEOUT also means that it gave up. */
TC_MUST_CHECK tc_status tci_wait_patient_turn(tc_context *ctx, tci_patience *patience,
                                              const tci_awaited *what);
/* Polls for a moment, without a rest or a clock, where the condition may be fulfilled at once
 * and all work comes by rings; otherwise, and where the option `wait` wants no polls, does
 * nothing. The caller checks the condition, and goes on with tci_wait_turn_for. */
void tci_wait_first_turns(tc_context *ctx, const tci_awaited *what);
/* A turn that checks everything, then an idle turn if it found nothing; not beyond the
 * deadline, for conditions that no descriptor shows. */
void tci_wait_service_turn(tc_context *ctx, uint64_t deadline_ns, const tci_awaited *what);
/* Makes one turn of tc_progress, or waits for one of the serving thread. */
void tci_wait_look(tc_context *ctx);
/* One turn of the thread that serves the context, busy or idle. */
void tci_wait_serve(tc_context *ctx);

/* A blocking call uses ep from here on: the endpoint is not freed meanwhile. */
void tci_wait_pin(tc_ep *ep);
/* Ends that use. An accepted endpoint that ended meanwhile is freed by the next tc_progress
 * after that call, not inside it. */
void tci_wait_unpin(tc_ep *ep);

#endif
