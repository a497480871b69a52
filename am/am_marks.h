/* Counted units at their origin: how many were sent, and the marks that ask whether they ran.
 * */
#ifndef TCA_AM_MARKS_H
#define TCA_AM_MARKS_H

#include "am_message.h"

/* Returns whether an active message goes by counted units: it has no output, request and
 * `done`. */
static inline bool tca_marks_suit(const tca_plan *plan, const tc_am_request *request)
{
    return plan->output.bytes == 0 && request == NULL && plan->params.done == NULL &&
           !plan->is_staged;
}

/* Before a counted unit: after a mark that failed the target forgets what it has counted.
 *
 *   as tc_send */
TC_MUST_CHECK tc_status tca_marks_prepare(const tc_am_window *window, uint32_t rank, tc_ep *ep);

/* Counts a unit that was sent, and asks for a mark when half of the credit is used. */
void tca_marks_add(tc_am_window *window, uint32_t rank, const tca_plan *plan, uint64_t charge);

/* Hands the end of an active message to the next mark: all of its units were sent. */
void tca_marks_add_message(tc_am_window *window, uint32_t rank);

/* Asks for marks of all units without one. */
void tca_marks_retry(tc_ams *ams);

/* Before a window is freed: it has no active messages under way. */
void tca_marks_forget(tc_am_window *window);

#endif
