/* Active messages that the origin runs itself. */
#ifndef TCA_AM_HERE_H
#define TCA_AM_HERE_H

#include "am_state.h"

/* Runs an active message on the rank's memory, if it may and can.
 *
 *   outcome_out     how it ended; its text is in text_out
 *   text_out        TC_AM_TEXT_MAX bytes
 *
 * False: the target has to run it. */
bool tca_here_run(tc_am_window *window, uint32_t rank, tc_am_op *op, const tca_plan *plan,
                  tc_am_outcome *outcome_out, char *text_out);

#endif
