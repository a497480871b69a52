#include "am_outcome.h"

#include <stdio.h>

void tca_outcome_text(const tc_am_op *op, uint32_t rank, tc_status status, const char *text,
                      char text_out[TC_AM_TEXT_MAX])
{
    char both[TC_AM_NAME_MAX + TC_AM_SIGNATURE_MAX + TC_AM_TEXT_MAX];
    if ((status == TC_E_VERSION || status == TC_E_NOT_FOUND) && op->fn == NULL) {
        snprintf(both, sizeof both, "operation '%s' ('%.40s') at rank %u: %.*s", op->name,
                 op->signature, rank, (int)TC_AM_TEXT_MAX, text);
        text = both;
    }
    tca_text_copy(text_out, text);
}

void tca_outcome_report(tc_am_window *window, const tc_am_params *params,
                        tc_am_request *request, const tc_am_outcome *outcome)
{
    tc_ams *ams = window->ams;
    if (request == NULL && params->done == NULL && outcome->status != TC_OK &&
        window->failure == TC_OK) {
        window->failure = outcome->status;
        tca_text_copy(window->failure_text, outcome->text);
    }
    if (request != NULL) {
        request->status = outcome->status;
        request->segments = outcome->segments;
        tca_text_copy(request->text, outcome->text);
        request->is_done = 1;
    }
    for (tca_waiter *waiter = ams->waiters; waiter != NULL; waiter = waiter->next) {
        /* It can fail at a limit of tasks alone, and the waiter looks again by itself. */
        const tc_status status = tc_task_semaphore_release(&waiter->semaphore, 1);
        (void)status;
    }
    if (params->done == NULL)
        return;
    ams->callbacks++;
    params->done(params->user, outcome);
    ams->callbacks--;
}
