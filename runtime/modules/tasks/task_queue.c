#include "modules/tasks/task_queue.h"

#include "base/assertion.h"

void tci_task_queue_deadline(tci_tasks *tasks)
{
    const tci_task *first = tci_task_timers_first(&tasks->timers);
    tasks->head.next_deadline_ns = first != NULL ? first->due_ns : UINT64_MAX;
}

void tci_task_queue_add(tci_core *core, tci_task *task)
{
    tci_tasks *tasks = tci_tasks_of(core);
    TCI_INVARIANT(task_waits, task->before == NULL && task->event == NULL);
    task->next = NULL;
    task->before = tasks->ready_last;
    *tasks->ready_last = task;
    tasks->ready_last = &task->next;
    tasks->ready_count++;
    tci_pending_add(&core->pending, TCI_WORK_TASKS);
}

void tci_task_queue_remove(tci_tasks *tasks, tci_task *task)
{
    if (task->before == NULL)
        return;
    TCI_INVARIANT(task_waits, *task->before == task && tasks->ready_count > 0);
    *task->before = task->next;
    if (task->next != NULL)
        task->next->before = task->before;
    else
        tasks->ready_last = task->before;
    task->before = NULL;
    tasks->ready_count--;
}

void tci_task_queue_end_wait(tci_core *core, tci_task *task)
{
    tci_tasks *tasks = tci_tasks_of(core);
    TCI_INVARIANT(task_waits, task->event != NULL && task->event->task == task);
    task->event->task = NULL;
    task->event = NULL;
    if (task->timer != 0) {
        tci_task_timers_remove(&tasks->timers, task);
        tci_task_queue_deadline(tasks);
    }
    tci_task_queue_add(core, task);
}

void tci_task_queue_wake(tci_core *core, tci_awaited_event *event)
{
    event->has_come = true;
    if (event->task != NULL)
        tci_task_queue_end_wait(core, event->task);
}
