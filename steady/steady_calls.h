/* The calls of a steady endpoint: started, sent, sent again, ended. */
#ifndef STEADY_CALLS_H
#define STEADY_CALLS_H

#include "steady_state.h"

/* TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tcs_calls_init(tcs_calls *calls, size_t capacity);
void tcs_calls_fini(tcs_calls *calls);

/* Starts a call and sends it, if nothing keeps it waiting. The statuses of
 * tc_steady_call_start. */
TC_MUST_CHECK tc_status tcs_calls_start(tc_steady *steady, tc_ifunc *fn, const void *args,
                                        size_t size, const tc_steady_call_params *params,
                                        tc_steady_call_id *id_out, tc_error *err);

/* Forgets a call. TC_E_NOT_FOUND. */
TC_MUST_CHECK tc_status tcs_calls_cancel(tcs_calls *calls, tc_steady_call_id id);

/* Sends those that wait, in their order, as far as the peer has capacity. */
void tcs_calls_send(tc_steady *steady);

/* Ends those that wait and have passed their deadline. Calls that were sent end by the
 * library's deadline. */
void tcs_calls_expire(tc_steady *steady, uint64_t now_ns);

/* Called when a connection has ended, and all calls that it took along wait again or have
 * ended. */
void tcs_calls_disconnected(tc_steady *steady);

/* Ends all that wait: with this status, or TC_E_UNREACHABLE if they have not run and nothing is
 * closing. */
void tcs_calls_end_waiting(tc_steady *steady, tc_status status, const char *text);

#endif
