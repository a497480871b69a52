#include "core/task_turns.h"

#include "base/clock.h"
#include "base/error_text.h"

tci_task_turns tci_task_turns_begin(tci_core *core, const tc_ep *ep, uint64_t timeout_ns)
{
    return (tci_task_turns){.core = core,
                            .deadline_ns = tci_deadline_after(timeout_ns),
                            .ep = ep,
                            .connection = ep != NULL ? ep->connection : 0,
                            .token = ep != NULL ? ep->token : 0};
}

tc_status tci_task_turns_fail(tc_status status, const char *late, tc_error *err)
{
    if (status == TC_E_TIMEOUT)
        return tci_error_set(err, status, "%s", late);
    return tci_error_set(err, status, "the function cannot wait: %s", tc_status_text(status));
}
