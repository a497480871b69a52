/* The tasks that wake by themselves: a heap, the next one first. */
#ifndef TCI_TASK_TIMERS_H
#define TCI_TASK_TIMERS_H

#include "modules/tasks/task_record.h"

/* With its time, so that a comparison does not read the tasks, which lie anywhere. */
typedef struct tci_task_timer {
    uint64_t due_ns;
    tci_task *task;
} tci_task_timer;

/* A zeroed one is empty. */
typedef struct tci_task_timers {
    tci_task_timer *heap; /* from 1 on; bound: TCI_TASKS_MAX */
    size_t count;
    size_t capacity;
} tci_task_timers;

/* Makes capacity for one more. TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_task_timers_reserve(tci_task_timers *timers);
/* Adds a task with its due_ns. There is capacity for it. */
void tci_task_timers_add(tci_task_timers *timers, tci_task *task);
/* Removes it, if it is there. */
void tci_task_timers_remove(tci_task_timers *timers, tci_task *task);
/* Returns the task that wakes next, or NULL. */
static inline tci_task *tci_task_timers_first(const tci_task_timers *timers)
{
    return timers->count > 0 ? timers->heap[1].task : NULL;
}

void tci_task_timers_free(tci_task_timers *timers);

#endif
