/* The turns of a blocking call in a function that may wait: each suspends the function. The
 * condition that it waits for has no event of its own, so it is looked at after each turn, and
 * less often the longer it takes: a context with such a task sleeps between the looks. */
#ifndef TCI_TASK_TURNS_H
#define TCI_TASK_TURNS_H

#include "core/ep.h"

typedef struct tci_task_turns {
    tci_core *core;
    uint64_t deadline_ns;
    const tc_ep *ep; /* that the call uses, or NULL; never followed before it is found again */
    /* Of that endpoint, whose memory may be another one's later. */
    uint32_t connection;
    uint64_t token;
    unsigned count;
} tci_task_turns;

/* Begins a call in the function that runs: ep NULL for one that uses no endpoint. */
tci_task_turns tci_task_turns_begin(tci_core *core, const tc_ep *ep, uint64_t timeout_ns);
/* TC_E_TIMEOUT: the deadline has passed. TC_E_CLOSED: the endpoint has been freed meanwhile, or
 * the function must end. Others of tc_task_sleep: the function cannot wait. */
TC_MUST_CHECK tc_status tci_task_turns_next(tci_task_turns *turns);
/* Fills err with the reason why a call ended by that status; `late` is that of TC_E_TIMEOUT. */
tc_status tci_task_turns_fail(tc_status status, const char *late, tc_error *err);

#endif
