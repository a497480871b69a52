/* The tasks that can go on, in the order in which their waits have ended. */
#ifndef TCI_TASK_QUEUE_H
#define TCI_TASK_QUEUE_H

#include "modules/tasks/tasks_state.h"

void tci_task_queue_add(tci_core *core, tci_task *task);
/* Removes it, if it is there. */
void tci_task_queue_remove(tci_tasks *tasks, tci_task *task);

/* Ends the wait of a task, whether its event has come or not. */
void tci_task_queue_end_wait(tci_core *core, tci_task *task);
/* See tci_tasks_ops.wake. */
void tci_task_queue_wake(tci_core *core, tci_awaited_event *event);
/* The timers have changed. */
void tci_task_queue_deadline(tci_tasks *tasks);

#endif
