/* The turns of a blocking call in a function that may wait: each suspends the function. The
 * condition that it waits for has no event of its own, so it is looked at after each turn, and
 * less often the longer it takes: a context with such a task sleeps between the looks. */
#ifndef TCI_TASK_TURNS_H
#define TCI_TASK_TURNS_H

#include "core/tasks_ops.h"

/* Texts of blocking calls that time out, inside functions and outside. */
#define TCI_LATE_FLUSH "the peer has not run all messages in time"
#define TCI_LATE_SEND "the peer has freed no capacity for the message in time"

struct tci_task_turns {
    tci_core *core;
    uint64_t deadline_ns;
    const tc_ep *ep; /* that the call uses, or NULL; never followed before it is found again */
    /* Of that endpoint: its memory may be another one later. */
    uint32_t connection;
    uint64_t token;
    unsigned count;
};

/* Begins a call in the function that runs: ep NULL for one that uses no endpoint. */
tci_task_turns tci_task_turns_begin(tci_core *core, const tc_ep *ep, uint64_t timeout_ns);
/* TC_E_TIMEOUT: the deadline has passed. TC_E_CLOSED: the endpoint has been freed meanwhile, or
 * the function must end. Others of tc_task_sleep: the function cannot wait. */
TC_MUST_CHECK static inline tc_status tci_task_turns_next(tci_task_turns *turns)
{
    return turns->core->tasks->ops->next_turn(turns);
}

/* Fills err with the reason why a call ended by that status; `late` is that of TC_E_TIMEOUT. */
tc_status tci_task_turns_fail(tc_status status, const char *late, tc_error *err);

#endif
