/* Waiting for active messages: by the program, and by functions that may wait. */
#ifndef TCA_AM_WAITS_H
#define TCA_AM_WAITS_H

#include "am_state.h"

typedef bool (*tca_condition)(const void *of_what);

/* Progresses, or suspends the function, until the condition holds.
 *
 *   timeout_ns    0 looks once
 *
 *   TC_E_TIMEOUT  it does not
 *   TC_E_BUSY     called from inside an ifunc that may not wait, or from a callback
 *   as tc_task_sleep, tc_wait */
TC_MUST_CHECK tc_status tca_waits_until(tc_ams *ams, tca_condition condition,
                                        const void *of_what, uint64_t timeout_ns);

#endif
