#include "modules/tasks/task_record.h"

#include "base/assertion.h"
#include "base/thread_id.h"
#include "context/wait.h"
#include "core/limits.h"
#include "modules/tasks/code_hold.h"

#include <stdlib.h>
#include <string.h>

#define SPARE_BYTES_MAX 2048u
#define BYTES_STEP 128u /* capacities are multiples */

tc_status tci_task_record_reserve(tci_task *task, size_t stack_bytes)
{
    if (stack_bytes > TCI_TASK_STACK_MAX)
        return TC_E_TOO_LARGE;
    if (stack_bytes <= task->capacity)
        return TC_OK;
    const size_t capacity = (stack_bytes + BYTES_STEP - 1) / BYTES_STEP * BYTES_STEP;
    uint8_t *bytes = malloc(capacity);
    if (bytes == NULL)
        return TC_E_NO_MEMORY;
    free(task->bytes); /* a running task's bytes are on the stack */
    task->bytes = bytes;
    task->capacity = capacity;
    return TC_OK;
}

/* Takes the parts that are in use. The dispatcher's invocation owes nothing any more. */
static tc_status take_invocation(tci_task *task, tci_invocation *from)
{
    if (task->invocation == NULL)
        task->invocation = malloc(sizeof *task->invocation);
    tci_invocation *own = task->invocation;
    if (own == NULL)
        return TC_E_NO_MEMORY;
    memcpy(&own->route, &from->route,
           offsetof(tci_route, path) + sizeof *own->route.path * from->route.path_length);
    own->moved = from->moved;
    own->begun = from->begun;
    own->memory = from->memory;
    own->failure = from->failure;
    if (from->failure != TC_OK)
        memcpy(own->text, from->text, sizeof own->text);
    from->route.call = 0;
    from->failure = TC_OK;
    from->moved = true;
    from->begun = false;
    task->current.invocation = own;
    return TC_OK;
}

static void enter_list(tci_task *task, tc_ep *ep)
{
    task->of_ep = ep->tasks;
    task->of_ep_before = &ep->tasks;
    if (ep->tasks != NULL)
        ep->tasks->of_ep_before = &task->of_ep;
    ep->tasks = task;
    ep->task_count++;
    tci_limits_count_task(ep, 1);
}

static void leave_list(tci_task *task, tc_ep *ep)
{
    TCI_INVARIANT(task_list, *task->of_ep_before == task);
    TCI_INVARIANT_IS(task_count, ep->task_count, >, 0);
    *task->of_ep_before = task->of_ep;
    if (task->of_ep != NULL)
        task->of_ep->of_ep_before = task->of_ep_before;
    ep->task_count--;
    tci_limits_count_task(ep, -1);
    TCI_INVARIANT(task_count, (ep->tasks == NULL) == (ep->task_count == 0));
}

static tc_status fill(tci_task *task, const tci_current *current, size_t stack_bytes)
{
    task->current = *current;
    task->thread = tci_thread_id_mark();
    task->holder.task = task;
    TC_TRY(tci_task_record_reserve(task, stack_bytes));
    TC_TRY(tci_code_hold_take(current->fn));
    tc_status status =
        current->invocation != NULL ? take_invocation(task, current->invocation) : TC_OK;
    if (status != TC_OK)
        tci_code_hold_release(current->fn);
    return status;
}

static __attribute__((noinline)) tci_task *take_spare(tci_task_spares *spares)
{
    tci_task *task = spares->first;
    if (task == NULL)
        return calloc(1, sizeof *task);
    TCI_INVARIANT_IS(task_spares, spares->count, >, 0);
    spares->first = task->next;
    spares->count--;
    *task = (tci_task){
        .bytes = task->bytes, .capacity = task->capacity, .invocation = task->invocation};
    return task;
}

static void destroy(tci_task *task)
{
    free(task->invocation);
    free(task->bytes);
    free(task);
}

/* A record with much memory is not kept. */
static void give_back(tci_task_spares *spares, tci_task *task)
{
    if (spares->count == TCI_TASK_SPARES_MAX || task->capacity > SPARE_BYTES_MAX) {
        destroy(task);
        return;
    }
    task->next = spares->first;
    spares->first = task;
    spares->count++;
    TCI_INVARIANT_IS(task_spares, spares->count, <=, TCI_TASK_SPARES_MAX);
}

void tci_task_record_free_spares(tci_task_spares *spares)
{
    while (spares->count > 0)
        destroy(take_spare(spares));
}

tc_status tci_task_record_create(tci_task_spares *spares, const tci_current *current,
                                 size_t stack_bytes, tci_task **task_out)
{
    tci_task *task = take_spare(spares);
    if (task == NULL)
        return TC_E_NO_MEMORY;
    tc_status status = fill(task, current, stack_bytes);
    if (status != TC_OK) {
        give_back(spares, task);
        return status;
    }
    enter_list(task, current->ep);
    tci_wait_pin(current->ep);
    *task_out = task;
    return TC_OK;
}

void tci_task_record_free(tci_task_spares *spares, tci_task *task)
{
    tc_ep *ep = task->current.ep;
    TCI_INVARIANT(task_waits, task->event == NULL && task->timer == 0 && task->before == NULL);
    TCI_INVARIANT(task_waiter, task->waiter.object == NULL);
    TCI_INVARIANT(task_holder, task->holder.first == NULL);
    leave_list(task, ep);
    if (task->current.invocation != NULL && task->current.invocation->begun)
        free(task->current.invocation->memory); /* it was abandoned */
    tci_code_hold_release(task->current.fn);
    tci_wait_unpin(ep);
    free(task->payload);
    give_back(spares, task);
}
