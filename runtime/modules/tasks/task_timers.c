#include "modules/tasks/task_timers.h"

#include "base/assertion.h"

#include <stdlib.h>

static void put(tci_task_timers *timers, size_t at, tci_task *task)
{
    timers->heap[at] = task;
    task->timer = at;
}

static void move_up(tci_task_timers *timers, tci_task *task, size_t at)
{
    for (; at > 1 && timers->heap[at / 2]->due_ns > task->due_ns; at /= 2)
        put(timers, at, timers->heap[at / 2]);
    put(timers, at, task);
}

static void move_down(tci_task_timers *timers, tci_task *task, size_t at)
{
    size_t child;
    while ((child = 2 * at) <= timers->count) {
        if (child < timers->count &&
            timers->heap[child + 1]->due_ns < timers->heap[child]->due_ns)
            child++;
        if (timers->heap[child]->due_ns >= task->due_ns)
            break;
        put(timers, at, timers->heap[child]);
        at = child;
    }
    put(timers, at, task);
}

tc_status tci_task_timers_reserve(tci_task_timers *timers)
{
    if (timers->count + 1 < timers->capacity)
        return TC_OK;
    const size_t capacity = timers->capacity == 0 ? 16 : 2 * timers->capacity;
    /* bound: TCI_TASKS_MAX */
    tci_task **heap = realloc(timers->heap, capacity * sizeof(tci_task *));
    if (heap == NULL)
        return TC_E_NO_MEMORY;
    timers->heap = heap;
    timers->capacity = capacity;
    return TC_OK;
}

void tci_task_timers_add(tci_task_timers *timers, tci_task *task)
{
    TCI_INVARIANT_IS(task_timer, task->timer, ==, 0);
    TCI_INVARIANT_IS(task_timer, timers->count + 1, <, timers->capacity);
    move_up(timers, task, ++timers->count);
}

void tci_task_timers_remove(tci_task_timers *timers, tci_task *task)
{
    const size_t at = task->timer;
    if (at == 0)
        return;
    TCI_INVARIANT(task_timer, at <= timers->count && timers->heap[at] == task);
    tci_task *last = timers->heap[timers->count--];
    task->timer = 0;
    if (last == task)
        return;
    if (last->due_ns < task->due_ns)
        move_up(timers, last, at);
    else
        move_down(timers, last, at);
}

void tci_task_timers_free(tci_task_timers *timers)
{
    TCI_INVARIANT_IS(task_timer, timers->count, ==, 0);
    free(timers->heap);
    *timers = (tci_task_timers){0};
}
