/* The ends of sends that tc_send_start began. The program's callback may send again, so it is
 * called by housekeeping alone, or when closing is over. */
#include "transfer/started.h"

#include "base/assertion.h"

#include <stdlib.h>
#include <tc/endpoint.h>

void tci_started_end(tci_core *core, tci_started *started, tc_status status)
{
    TCI_INVARIANT(started_once, started->next == NULL && core->ended_sends != started);
    started->status = status;
    started->next = core->ended_sends;
    core->ended_sends = started;
    core->ended_count++;
    tci_pending_add(&core->pending, TCI_WORK_STATE);
}

tc_status tci_started_reason(const tc_ep *ep)
{
    tc_status status = tc_ep_error(ep, NULL);
    return status != TC_OK ? status : TC_E_CLOSED;
}

static void report(tci_core *core, tci_started *started)
{
    const tc_send_params params = started->params;
    const tc_status status = started->status;
    free(started);
    if (params.ended != NULL)
        ++*params.ended;
    if (params.done == NULL)
        return;
    const unsigned outer = tci_pending_enter(&core->pending, TCI_RUNNING);
    params.done(params.user, status);
    tci_pending_leave(&core->pending, TCI_RUNNING, outer);
}

/* Sends that end meanwhile are left for the next call, so this one ends. */
void tci_started_report(tci_core *core)
{
    tci_started *newest = core->ended_sends;
    tci_started *oldest = NULL;
    core->ended_sends = NULL;
    core->ended_count = 0;
    while (newest != NULL) {
        tci_started *next = newest->next;
        newest->next = oldest;
        oldest = newest;
        newest = next;
    }
    while (oldest != NULL) {
        tci_started *next = oldest->next;
        TCI_INVARIANT(started_once, next != oldest && core->ended_sends != oldest);
        report(core, oldest);
        oldest = next;
    }
}
