/* Active messages under way to other ranks: their units, the credit, the order, the end. */
#ifndef TCA_AM_UNITS_H
#define TCA_AM_UNITS_H

#include "am_state.h"

#define TCA_LOOK_AHEAD_MAX 16u /* active messages of a queue that are looked at */

/* Starts one by messages. The plan is the active message's from here on, but for TC_OK's
 * opposite.
 *
 *   TC_OK           it is under way, waits, or has ended already
 *   TC_E_AGAIN      TCA_MESSAGES_MAX are under way, or the endpoint has no credit and nothing
 *                   is under way that would give some
 *   TC_E_NO_MEMORY  an allocation failed */
TC_MUST_CHECK tc_status tca_units_start(tc_am_window *window, uint32_t rank, tc_am_op *op,
                                        const tca_plan *plan, tc_am_request *request,
                                        tc_error *err);

/* Sends one of a single counted unit, without a record of it. False: nothing was sent, and it
 * has to be started. */
bool tca_units_send_counted(tc_am_window *window, uint32_t rank, const tc_am_op *op,
                            const tca_plan *plan);

/* True: an active message of that size could be sent to the rank now, ahead of nothing. */
bool tca_units_are_free(const tc_ams *ams, uint32_t rank, uint64_t charge);

/* Counts one that is sent otherwise (tc_call) as under way, and ends that. */
void tca_units_enter(tc_am_window *window, uint32_t rank, tc_am_op *op, uint64_t charge);
void tca_units_leave(tc_am_window *window, uint32_t rank, tc_am_op *op, uint64_t charge);

/* Sends units that have waited, as far as there is credit now. */
void tca_units_retry(tc_ams *ams);

/* Frees those that are not in use. */
void tca_units_free(tc_ams *ams);

#endif
