/* The tasks of a context. */
#ifndef TCI_TASKS_STATE_H
#define TCI_TASKS_STATE_H

#include "base/fork_guard.h"
#include "modules/tasks/task_timers.h"

typedef struct tci_tasks {
    struct tci_tasks_head head;
    tci_shared_stack stack; /* opened by the first function that may wait */
    tci_task_timers timers;
    tci_task_spares spares;
    tci_task_objects objects;      /* that are held or waited for */
    tci_task *ready, **ready_last; /* those that can go on, in order; bound: TCI_TASKS_MAX */
    size_t ready_count;
    size_t count;             /* all tasks */
    const tc_ifunc *fn;       /* the function that runs on the stack, or NULL */
    tci_task *task;           /* it, if it has waited before */
    tci_stack_mark mark;      /* of one that has not */
    tci_task_holder beginner; /* the same */
    tci_task_holder program;
    tci_fork_guard guard; /* debuggers find it by this: task_layout.h */
    tci_core *core;
    bool is_refused;   /* the stack cannot be opened */
    bool is_elsewhere; /* the log has it that tasks of another thread can go on */
} tci_tasks;

static inline tci_tasks *tci_tasks_of(const tci_core *core)
{
    return (tci_tasks *)(void *)core->tasks;
}

#endif
