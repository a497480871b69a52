/* Runs functions on the stack of the context's tasks: from their beginning, and from where they
 * have waited. Everything that belongs to one message, and that the thread has one of, is
 * exchanged here: the current message, guards, C++'s exceptions. */
#include "modules/tasks/task_run.h"

#include "base/assertion.h"
#include "base/clock.h"
#include "base/logger.h"
#include "base/thread_id.h"
#include "core/limits.h"
#include "modules/tasks/task_queue.h"

#include <stdlib.h>
#include <string.h>
#include <tc/entry.h>

/* Payloads up to this size lie on the stack. */
#define PAYLOAD_ON_STACK_MAX 1024u
#define LINE 64u
/* Most functions that wait use no more of the stack. */
#define PREFETCHED_BYTES 512u

/* Exchanges the exceptions of this thread. */
static void exchange(void *(*of_thread)(void), tci_task_exceptions *exceptions)
{
    if (of_thread == NULL)
        return;
    tci_task_exceptions *now = of_thread(), before = *now;
    *now = *exceptions;
    *exceptions = before;
}

static void start(void *argument)
{
    const tci_job *j = argument; /* not used after the body's first wait */
    j->body(j->payload, j->size, j->args);
}

/* Copies the payload, with its alignment: to the top of the stack, or to a block. */
static bool copy_payload(const tci_tasks *tasks, const tc_ifunc *fn, tci_job *j)
{
    const void *from = j->payload;
    const size_t alignment = fn->alignment > LINE ? fn->alignment : LINE;
    const size_t bytes = (j->size + alignment) & ~(alignment - 1); /* a power of two */
    j->top = tci_shared_stack_top(&tasks->stack);
    if (j->size <= PAYLOAD_ON_STACK_MAX && alignment == LINE) {
        j->payload = j->top - bytes - LINE + (uintptr_t)from % LINE;
        j->top = (uint8_t *)((uintptr_t)j->payload & ~(uintptr_t)15);
    } else {
        j->payload = j->block = aligned_alloc(alignment, bytes);
    }
    if (j->payload != NULL && j->size > 0)
        memcpy(j->payload, from, j->size);
    return j->payload != NULL;
}

static bool has_stack(tci_tasks *tasks)
{
    tc_error error;
    if (tasks->stack.memory != NULL || tasks->is_refused)
        return !tasks->is_refused;
    if (tci_shared_stack_open(&tasks->stack, &error) == TC_OK)
        return true;
    TC_LOG(TC_LOG_WARN, "%s", error.text);
    tasks->is_refused = true;
    return false;
}

/* The running function has left the stack. */
static void put_aside(tci_tasks *tasks, tci_task *task)
{
    TCI_INVARIANT_IS(task_bytes, tci_shared_stack_used(&tasks->stack, &task->mark), <=,
                     task->capacity);
    tci_shared_stack_save(&tasks->stack, &task->mark, task->bytes);
}

/* The message is over: those that wait for its objects get them. */
static __attribute__((noinline)) void end_holding(tci_core *core, const tci_current *current,
                                                  tci_task_holder *holder)
{
    tc_ep *ep = current->ep;
    const size_t locks = tci_task_objects_hand_over_all(core, holder);
    if (locks > 0)
        TC_LOG_RATIONED(&ep->log, TC_LOG_WARN,
                        "endpoint %u: function '%s' ended with %zu locks held: they are "
                        "released",
                        ep->connection, tci_archive_name(current->fn->archive), locks);
}

/* Memory that a function got before may be in a ring, and must not outlast the turn. */
static bool holds_memory(const tci_current *current)
{
    return current->invocation != NULL && current->invocation->begun;
}

/* Answers the call of a function that must not begin any more. Returns whether there is one: a
 * message that nothing answers runs all the same. */
static __attribute__((noinline)) bool turn_away(const tci_current *current)
{
    if (current->invocation == NULL || current->invocation->route.call == 0)
        return false;
    tc_self_fail(TC_E_CLOSED, "this process drains, and begins no function that may wait");
    return true;
}

void tci_task_run(tci_tasks *tasks, tci_job *job)
{
    tci_current *current = tci_current_get();
    struct tci_guard *guard = current->guard;
    tci_task_exceptions exceptions = {{NULL}};
    if (tasks->fn != NULL || holds_memory(current) || !has_stack(tasks)) {
        job->body(job->payload, job->size, job->args);
        return;
    }
    if (__builtin_expect(tasks->core->drains, 0) && turn_away(current))
        return;
    if (!copy_payload(tasks, current->fn, job)) {
        tc_self_fail(TC_E_NO_MEMORY, "no memory for the payload of a function that may wait");
        return;
    }
    current->guard = NULL;
    tasks->fn = current->fn;
    exchange(job->exceptions, &exceptions);
    bool left = tci_shared_stack_run(&tasks->stack, job->top, start, job, &tasks->mark);
    exchange(job->exceptions, &exceptions);
    if (left) {
        tasks->task->payload = job->block;
        tasks->task->exceptions_of_thread = job->exceptions;
        tasks->task->exceptions = exceptions;
        put_aside(tasks, tasks->task);
    } else {
        if (job->block != NULL)
            free(job->block);
        if (tasks->beginner.first != NULL)
            end_holding(current->ep->core, current, &tasks->beginner);
    }
    tasks->fn = NULL;
    tasks->task = NULL;
    current->guard = guard;
}

void tci_task_run_end(tci_core *core, tci_task *task)
{
    tci_tasks *tasks = tci_tasks_of(core);
    TCI_INVARIANT_IS(task_count, tasks->count, >, 0);
    if (task->waiter.object != NULL)
        tci_task_objects_leave(&tasks->objects, &task->waiter);
    if (task->holder.first != NULL)
        end_holding(core, &task->current, &task->holder);
    tasks->count--;
    tci_task_record_free(&tasks->spares, task);
}

void tci_task_run_resume(tci_core *core, tci_task *task)
{
    tci_tasks *tasks = tci_tasks_of(core);
    tci_current *current = tci_current_get();
    const tci_current outer = *current;
    tc_ep *ep = task->current.ep;
    const bool is_watched = (core->batch_watchers & TCI_WATCHED_BY_LIMITS) != 0 &&
                            core->limits->begin_batch(ep, TCI_FRAME_GRANULE) > 0;
    const unsigned outer_busy = tci_pending_enter(&core->pending, TCI_RUNNING);
    TCI_INVARIANT(task_waits, tasks->fn == NULL && task->event == NULL);
    *current = task->current;
    tasks->fn = task->current.fn;
    tasks->task = task;
    TCI_INVARIANT_IS(task_bytes, tci_shared_stack_used(&tasks->stack, &task->mark), <=,
                     task->capacity);
    tci_shared_stack_restore(&tasks->stack, &task->mark, task->bytes);
    exchange(task->exceptions_of_thread, &task->exceptions);
    const bool left = tci_shared_stack_resume(&tasks->stack, &task->mark);
    exchange(task->exceptions_of_thread, &task->exceptions);
    tasks->fn = NULL;
    tasks->task = NULL;
    if (task->is_abandoned)
        tci_shared_stack_forget(&task->mark);
    else if (left)
        put_aside(tasks, task);
    else if (task->current.invocation != NULL)
        tci_calls_end_begun(task->current.invocation, ep);
    *current = outer;
    tci_pending_leave(&core->pending, TCI_RUNNING, outer_busy);
    if (is_watched)
        core->limits->end_batch(ep, 0);
    if (!left || task->is_abandoned)
        tci_task_run_end(core, task);
}

static void expire(tci_core *core)
{
    tci_tasks *tasks = tci_tasks_of(core);
    const uint64_t now_ns = tci_clock_ns();
    tci_task *first;
    while ((first = tci_task_timers_first(&tasks->timers)) != NULL && first->due_ns <= now_ns)
        tci_task_queue_wake(core, &first->nap);
}

/* Memory of the task that runs next, and of the one behind it: 10^5 of them lie anywhere. */
static void prefetch(const tci_task *task)
{
    const size_t end = task->capacity < PREFETCHED_BYTES ? task->capacity : PREFETCHED_BYTES;
    for (size_t at = 0; at < end; at += LINE)
        __builtin_prefetch(task->bytes + at);
    __builtin_prefetch(task->next);
}

static bool is_of_this_thread(tci_tasks *tasks, const tci_task *task)
{
    if (task->thread == tci_thread_id_mark())
        return true;
    if (!tasks->is_elsewhere)
        TC_LOG(TC_LOG_WARN,
               "function '%s' goes on only in the thread that it began in, and another one "
               "progresses the context now",
               tci_archive_name(task->current.fn->archive));
    tasks->is_elsewhere = true;
    return false;
}

void tci_task_run_turn(tci_core *core)
{
    tci_tasks *tasks = tci_tasks_of(core);
    (void)tci_pending_take(&core->pending, TCI_WORK_TASKS);
    if (tasks->timers.count > 0)
        expire(core);
    core->pending.activity |= tasks->ready_count > 0;
    size_t left = tasks->ready_count < TCI_TASKS_A_TURN ? tasks->ready_count : TCI_TASKS_A_TURN;
    while (left-- > 0 && tasks->ready != NULL) {
        tci_task *task = tasks->ready;
        tci_task_queue_remove(tasks, task);
        if (tasks->ready != NULL)
            prefetch(tasks->ready);
        if (is_of_this_thread(tasks, task))
            tci_task_run_resume(core, task);
        else
            tci_task_queue_add(core, task);
    }
    if (tasks->ready != NULL)
        tci_pending_add(&core->pending, TCI_WORK_TASKS);
}
