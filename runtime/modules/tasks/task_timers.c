#include "modules/tasks/task_timers.h"

#include "base/assertion.h"

#include <stdlib.h>

/* Each has up to so many below it: fewer steps than with two, and they share a line or two. */
#define BELOW 4u
#define ABOVE(at) (((at)-2) / BELOW + 1)
#define FIRST_BELOW(at) (BELOW * ((at)-1) + 2)

static void put(tci_task_timers *timers, size_t at, tci_task_timer timer)
{
    timers->heap[at] = timer;
    timer.task->timer = at;
}

static void move_up(tci_task_timers *timers, tci_task_timer timer, size_t at)
{
    for (; at > 1 && timers->heap[ABOVE(at)].due_ns > timer.due_ns; at = ABOVE(at))
        put(timers, at, timers->heap[ABOVE(at)]);
    put(timers, at, timer);
}

static void move_down(tci_task_timers *timers, tci_task_timer timer, size_t at)
{
    size_t least;
    while ((least = FIRST_BELOW(at)) <= timers->count) {
        for (size_t i = least + 1, end = least + BELOW; i < end && i <= timers->count; i++) {
            if (timers->heap[i].due_ns < timers->heap[least].due_ns)
                least = i;
        }
        if (timers->heap[least].due_ns >= timer.due_ns)
            break;
        put(timers, at, timers->heap[least]);
        at = least;
    }
    put(timers, at, timer);
}

tc_status tci_task_timers_reserve(tci_task_timers *timers)
{
    if (timers->count + 1 < timers->capacity)
        return TC_OK;
    const size_t capacity = timers->capacity == 0 ? 16 : 2 * timers->capacity;
    /* bound: TCI_TASKS_MAX */
    tci_task_timer *heap = realloc(timers->heap, capacity * sizeof *heap);
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
    move_up(timers, (tci_task_timer){task->due_ns, task}, ++timers->count);
}

void tci_task_timers_remove(tci_task_timers *timers, tci_task *task)
{
    const size_t at = task->timer;
    if (at == 0)
        return;
    TCI_INVARIANT(task_timer, at <= timers->count && timers->heap[at].task == task);
    const tci_task_timer last = timers->heap[timers->count--];
    task->timer = 0;
    if (last.task == task)
        return;
    if (last.due_ns < task->due_ns)
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
