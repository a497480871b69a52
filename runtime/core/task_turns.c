#include "core/task_turns.h"

#include "base/clock.h"
#include "base/error_text.h"
#include "core/tasks_ops.h"

#define PROMPT_TURNS 64u /* before the first nap */
#define NAP_FIRST_NS 10000ull
#define NAP_DOUBLINGS_MAX 7u

tci_task_turns tci_task_turns_begin(tci_core *core, const tc_ep *ep, uint64_t timeout_ns)
{
    return (tci_task_turns){.core = core,
                            .deadline_ns = tci_deadline_after(timeout_ns),
                            .ep = ep,
                            .connection = ep != NULL ? ep->connection : 0,
                            .token = ep != NULL ? ep->token : 0};
}

static uint64_t nap_ns(unsigned count)
{
    if (count < PROMPT_TURNS)
        return 0;
    count -= PROMPT_TURNS;
    return NAP_FIRST_NS << (count < NAP_DOUBLINGS_MAX ? count : NAP_DOUBLINGS_MAX);
}

tc_status tci_task_turns_next(tci_task_turns *turns)
{
    tci_core *core = turns->core;
    const uint64_t left_ns = tci_deadline_left_ns(turns->deadline_ns);
    const uint64_t ns = nap_ns(turns->count);
    if (left_ns == 0)
        return TC_E_TIMEOUT;
    TC_TRY(core->tasks->ops->sleep(core, ns < left_ns ? ns : left_ns));
    turns->count += turns->count < PROMPT_TURNS + NAP_DOUBLINGS_MAX;
    if (turns->ep == NULL)
        return TC_OK;
    const tc_ep *found = tci_core_find(core, turns->connection);
    return found == turns->ep && found->token == turns->token ? TC_OK : TC_E_CLOSED;
}

tc_status tci_task_turns_fail(tc_status status, const char *late, tc_error *err)
{
    if (status == TC_E_TIMEOUT)
        return tci_error_set(err, status, "%s", late);
    return tci_error_set(err, status, "the function cannot wait: %s", tc_status_text(status));
}
