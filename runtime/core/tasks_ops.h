/* The socket of the module tasks (core/module.h): functions that wait. Without the module
 * functions do not wait, and core->tasks is NULL. */
#ifndef TCI_TASKS_OPS_H
#define TCI_TASKS_OPS_H

#include "core/ep.h"

/* An event that a task waits for. It lies in memory that stays while the task waits: not on its
 * stack. A zeroed one has not come. */
typedef struct tci_awaited_event {
    bool has_come;
    struct tci_task *task; /* that waits for it, or NULL */
} tci_awaited_event;

typedef struct tci_task_turns tci_task_turns;

typedef struct tci_tasks_ops {
    /* Returns whether the code that runs now is of a function that may wait. */
    bool (*may_wait)(const tci_core *core);
    /* Suspends the running function until the event has come. TC_OK: it has. Otherwise see
     * tc_task_sleep, and the event must be prevented. Called where may_wait is true. */
    tc_status (*wait)(tci_core *core, tci_awaited_event *event);
    /* Suspends the running function for a turn of a blocking call: task_turns.h. */
    tc_status (*next_turn)(tci_task_turns *turns);
    /* tc_ep_flush and tc_send_wait where may_wait is true. */
    tc_status (*flush)(tc_ep *ep, uint64_t timeout_ns, tc_error *err);
    tc_status (*send)(tc_ep *ep, tc_ifunc *fn, const void *source_args, size_t size,
                      uint64_t timeout_ns, tc_error *err);
    /* Lets tasks go on: those that can at its beginning, TCI_TASKS_A_TURN at most. No function
     * is running. */
    void (*turn)(tci_core *core);
    /* The event has come. */
    void (*wake)(tci_core *core, tci_awaited_event *event);
    /* An endpoint with tasks has ended: each of their waits ends with that status. */
    void (*ended)(tc_ep *ep, tc_status status);
    /* An endpoint with tasks is about to be freed: runs each to its end. */
    void (*finish)(tc_ep *ep);
    /* The same for all endpoints, before any is freed: tasks may use those of others. */
    void (*finish_all)(tci_core *core);
    /* Returns the name of a function that waits on an endpoint with tasks. */
    const char *(*waiting)(const tc_ep *ep);
    /* Returns whether an access there shows that a function's stack is full.
     * Async-signal-safe. */
    bool (*overflows)(const tci_core *core, const void *address);
} tci_tasks_ops;

/* The core's part of the module's state. */
struct tci_tasks_head {
    const tci_tasks_ops *ops;
    uint64_t next_deadline_ns; /* when the next task wakes by itself; UINT64_MAX: not set */
};

static inline bool tci_tasks_may_wait(const tci_core *core)
{
    return core->tasks != NULL && core->tasks->ops->may_wait(core);
}

#endif
