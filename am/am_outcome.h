/* The end of an active message, as its program gets it. */
#ifndef TCA_AM_OUTCOME_H
#define TCA_AM_OUTCOME_H

#include "am_state.h"

/* Reports the end of an active message: to the request, `done`, or the window. */
void tca_outcome_report(tc_am_window *window, const tc_am_params *params,
                        tc_am_request *request, const tc_am_outcome *outcome);

/* The text of a failure at a rank: with operations of both, where they differ. */
void tca_outcome_text(const tc_am_op *op, uint32_t rank, tc_status status, const char *text,
                      char text_out[TC_AM_TEXT_MAX]);

#endif
