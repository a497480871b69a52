/* Functions that wait: the states of a task, and the changes between them.
 *
 * tc_task_run calls a function's body on the stack that all functions of the context share. A
 * body that returns has never been a task. Its first wait makes a record of it, with the
 * message's invocation; its bytes of the stack are copied out, and tc_task_run returns to the
 * dispatcher, for which the message is over: its frame leaves the ring, credit goes on. States
 * of the record:
 *
 *   waits     `event` is set. tci_tasks_ops.wake, a timer, or the end of its endpoint clear it.
 *   ready     in the list `ready`. tci_task_run_turn copies its bytes back and resumes it.
 *   runs      tci_tasks.task. It waits again, or returns and is freed.
 *
 * Tasks go on between batches of messages, when no function runs, and in the thread that they
 * began in, since compilers keep addresses of a thread's variables across calls. A task has a
 * pin of its endpoint, and holds its function: the code that its frames return to stays.
 *
 * This file must never copy bytes of a running function, resume a task while another function
 * of the context runs, or write to the stack of one that waits: answers lie elsewhere until it
 * goes on. It must never unwind a task, which may hold locks and memory. */
#include "modules/tasks/tasks.h"

#include "base/assertion.h"
#include "base/clock.h"
#include "base/logger.h"
#include "base/sanitized.h"
#include "core/limits.h"
#include "core/task_turns.h"
#include "modules/tasks/task_calls.h"
#include "modules/tasks/task_queue.h"
#include "modules/tasks/task_run.h"

#include <errno.h>

/* Bytes of stack below the frame of `suspend`: its callees' and registers. */
#define BELOW_BYTES (TCI_SANITIZED ? 4096u : 384u)
/* Waits of a task that has to end: then it is abandoned. */
#define REFUSALS_MAX 1000u
/* Turns of a blocking call before its first nap, and its naps. */
#define PROMPT_TURNS 64u
#define NAP_FIRST_NS 10000ull
#define NAP_DOUBLINGS_MAX 7u

/* --- waiting ------------------------------------------------------------------------------ */

static bool may_wait(const tci_core *core)
{
    const tci_tasks *tasks = tci_tasks_of(core);
    const tci_current *current = tci_current_get();
    return tasks->fn != NULL && current->fn == tasks->fn && current->ep != NULL &&
           current->ep->core == core &&
           !tci_pending_has(&core->pending, TCI_BUILDING | TCI_FORKED) &&
           tci_shared_stack_has(&tasks->stack, __builtin_frame_address(0));
}

/* Gives up a task that goes on waiting though it has to end. Does not return. */
static __attribute__((noinline)) void abandon(tci_tasks *tasks, tci_task *task)
{
    const tc_ep *ep = task->current.ep;
    TC_LOG(TC_LOG_ERROR,
           "endpoint %u: function '%s' goes on waiting after its endpoint's end (%s): it is "
           "abandoned",
           ep->connection, tci_archive_name(task->current.fn->archive),
           tc_status_text(task->ended));
    task->is_abandoned = true;
    tci_shared_stack_leave(&tasks->stack, &task->mark);
}

tc_status tci_tasks_why_not(const tci_tasks *tasks)
{
    const tci_current *current = tci_current_get();
    const tci_task *task = tasks->task;
    tc_status status = tc_ep_error(current->ep, NULL);
    if (task != NULL && task->ended != TC_OK)
        status = task->ended;
    else if (status == TC_OK && tci_ep_is_leaving(current->ep))
        status = TC_E_CLOSED;
    else if (status == TC_OK && current->fn->standing != TCI_STANDING_OPEN)
        status = TC_E_REFUSED;
    return status;
}

/* The same for a wait that begins otherwise: a task that has to end has few. */
static tc_status begin_wait(tci_tasks *tasks)
{
    tci_task *task = tasks->task;
    const tc_status status = tci_tasks_why_not(tasks);
    if (status == TC_OK || task == NULL)
        return status;
    task->ended = status;
    if (++task->refusals > REFUSALS_MAX)
        abandon(tasks, task);
    return status;
}

/* An endpoint's tasks take three quarters of those that others leave at most. Returns the
 * reason why there may be no further one, or NULL. */
static const char *why_full(const tci_tasks *tasks, const tc_ep *ep)
{
    const size_t others = tasks->count - ep->task_count;
    TCI_INVARIANT_IS(task_count, ep->task_count, <=, tasks->count);
    return ep->task_count >= (TCI_TASKS_MAX - others) / 4 * 3 ? "too many functions wait"
           : !tci_limits_may_add_task(ep) ? "option quota_tasks: as many of its identity wait"
                                          : NULL;
}

/* Makes a task of the running function with its first wait, or reserves memory for its stack.
 * TC_OK: it must suspend now. */
static __attribute__((noinline)) tc_status prepare(tci_tasks *tasks, const uint8_t *frame)
{
    const tci_current *current = tci_current_get();
    const size_t bytes = (size_t)(tci_shared_stack_top(&tasks->stack) - frame) + BELOW_BYTES;
    TC_TRY(begin_wait(tasks));
    if (tasks->task != NULL)
        return tci_task_record_reserve(tasks->task, bytes);
    if (why_full(tasks, current->ep) != NULL)
        return TC_E_TOO_LARGE;
    TC_TRY(tci_task_record_create(&tasks->spares, current, bytes, &tasks->task));
    tasks->task->mark = tasks->mark;
    tci_task_objects_move(&tasks->beginner, &tasks->task->holder);
    tasks->count++;
    return TC_OK;
}

/* A function of its own: compilers take the address of errno once for each function, and a task
 * may be resumed by another thread, which destroys the context. */
static __attribute__((noinline)) void set_errno(int number)
{
    errno = number;
}

/* Leaves the stack until the task is resumed. Returns the status of its wait. */
static __attribute__((noinline)) tc_status suspend(tci_tasks *tasks)
{
    tci_task *task = tasks->task;
    task->current.guard = tci_current_get()->guard;
    task->error_number = errno;
    tci_shared_stack_leave(&tasks->stack, &task->mark);
    set_errno(task->error_number);
    return task->ended;
}

static tc_status refused(tc_status status)
{
    tc_ep *ep = tci_current_get()->ep;
    const tci_tasks *tasks = tci_tasks_of(ep->core);
    const char *full = why_full(tasks, ep);
    if (status == TC_E_TOO_LARGE || status == TC_E_NO_MEMORY)
        TC_LOG_RATIONED(&ep->log, TC_LOG_WARN, "endpoint %u: function '%s' cannot wait: %s",
                        ep->connection, tci_archive_name(tci_current_get()->fn->archive),
                        status == TC_E_NO_MEMORY ? "out of memory"
                        : full != NULL           ? full
                        : tasks->objects.count == TCI_TASK_OBJECTS_MAX
                            ? "too many objects are in use"
                            : "it uses more than 64 KiB of stack");
    return status;
}

static tc_status wait_for(tci_core *core, tci_awaited_event *event)
{
    tci_tasks *tasks = tci_tasks_of(core);
    if (event->has_come)
        return TC_OK;
    tc_status status = prepare(tasks, __builtin_frame_address(0));
    if (status != TC_OK)
        return refused(status);
    event->task = tasks->task;
    tasks->task->event = event;
    status = suspend(tasks);
    return event->has_come ? TC_OK : status;
}

static tc_status pass(tci_core *core)
{
    tci_tasks *tasks = tci_tasks_of(core);
    tc_status status = prepare(tasks, __builtin_frame_address(0));
    if (status != TC_OK)
        return refused(status);
    tci_task_queue_add(core, tasks->task);
    return suspend(tasks);
}

static void set_timer(tci_tasks *tasks, tci_task *task, uint64_t ns)
{
    task->due_ns = tci_deadline_after(ns);
    tci_task_timers_add(&tasks->timers, task);
    tci_task_queue_deadline(tasks);
}

static void enter_queue(tci_tasks *tasks, tci_task_object_id id)
{
    tci_task_object *object = tci_task_objects_find(&tasks->objects, id);
    if (object == NULL)
        object = tci_task_objects_add(&tasks->objects, id, NULL);
    tci_task_objects_wait(object, tasks->task);
}

/* Waits for that long, and in the queue of an object, if it is not NULL. */
static tc_status nap(tci_core *core, const tci_task_object_id *object, uint64_t ns,
                     tci_task_object *lock)
{
    tci_tasks *tasks = tci_tasks_of(core);
    /* First: a task that has been made must wait. */
    tc_status status = object != NULL ? tci_task_objects_reserve(&tasks->objects) : TC_OK;
    if (status == TC_OK && ns != TC_FOREVER)
        status = tci_task_timers_reserve(&tasks->timers);
    if (status == TC_OK)
        status = prepare(tasks, __builtin_frame_address(0));
    if (status == TC_OK && object != NULL)
        enter_queue(tasks, *object);
    if (lock != NULL)
        tci_task_objects_hand_over(core, lock);
    if (status != TC_OK)
        return refused(status);
    tci_task *task = tasks->task;
    if (ns != TC_FOREVER)
        set_timer(tasks, task, ns);
    task->nap = (tci_awaited_event){.task = task};
    task->event = &task->nap;
    status = suspend(tasks);
    return task->nap.has_come ? TC_OK : status;
}

tc_status tci_tasks_sleep(tci_core *core, uint64_t ns)
{
    return ns == 0 ? pass(core) : nap(core, NULL, ns, NULL);
}

tc_status tci_tasks_wait_for(tci_core *core, tci_task_object_id id, uint64_t timeout_ns,
                             tci_task_object *lock)
{
    tci_tasks *tasks = tci_tasks_of(core);
    const tc_status status = nap(core, &id, timeout_ns, lock);
    const tci_task *task = tasks->task; /* NULL: no wait has begun */
    if (task != NULL && task->waiter.object != NULL)
        tci_task_objects_leave(&tasks->objects, &tasks->task->waiter);
    return status == TC_OK ? task->waiter.status : status;
}

/* --- turns of blocking calls -------------------------------------------------------------- */

static uint64_t nap_ns(unsigned count)
{
    if (count < PROMPT_TURNS)
        return 0;
    count -= PROMPT_TURNS;
    return NAP_FIRST_NS << (count < NAP_DOUBLINGS_MAX ? count : NAP_DOUBLINGS_MAX);
}

static tc_status next_turn(tci_task_turns *turns)
{
    tci_core *core = turns->core;
    const uint64_t left_ns = tci_deadline_left_ns(turns->deadline_ns);
    const uint64_t ns = nap_ns(turns->count);
    if (left_ns == 0)
        return TC_E_TIMEOUT;
    TC_TRY(tci_tasks_sleep(core, ns < left_ns ? ns : left_ns));
    turns->count += turns->count < PROMPT_TURNS + NAP_DOUBLINGS_MAX;
    if (turns->ep == NULL)
        return TC_OK;
    const tc_ep *found = tci_core_find(core, turns->connection);
    return found == turns->ep && found->token == turns->token ? TC_OK : TC_E_CLOSED;
}

/* --- the end of endpoints ----------------------------------------------------------------- */

static void ended(tc_ep *ep, tc_status status)
{
    for (tci_task *task = ep->tasks; task != NULL; task = task->of_ep) {
        task->ended = status;
        if (task->event != NULL)
            tci_task_queue_end_wait(ep->core, task);
    }
}

/* Each runs once: a wait returns at once now, and a task with too many is abandoned. */
static __attribute__((noinline)) void finish(tc_ep *ep)
{
    tci_core *core = ep->core;
    tci_task *task;
    ended(ep, TC_E_CLOSED);
    while ((task = ep->tasks) != NULL) {
        tci_task_queue_remove(tci_tasks_of(core), task);
        if (tci_core_is_forked(core)) {
            task->is_abandoned = true;
            tci_task_run_end(core, task);
        } else {
            tci_task_run_resume(core, task);
        }
        TCI_INVARIANT(task_list, ep->tasks != task);
    }
}

static void finish_all(tci_core *core)
{
    for (tc_ep *ep = core->first; ep != NULL; ep = ep->next) {
        if (ep->tasks != NULL)
            finish(ep);
    }
}

static const char *waiting(const tc_ep *ep)
{
    return tci_archive_name(ep->tasks->current.fn->archive);
}

static bool overflows(const tci_core *core, const void *address)
{
    const tci_tasks *tasks = tci_tasks_of(core);
    return tasks->fn != NULL && tci_shared_stack_guards(&tasks->stack, address);
}

/* --- the state ---------------------------------------------------------------------------- */

static const tci_tasks_ops ops = {.may_wait = may_wait,
                                  .wait = wait_for,
                                  .next_turn = next_turn,
                                  .flush = tci_task_calls_flush,
                                  .send = tci_task_calls_send,
                                  .turn = tci_task_run_turn,
                                  .wake = tci_task_queue_wake,
                                  .ended = ended,
                                  .finish = finish,
                                  .finish_all = finish_all,
                                  .waiting = waiting,
                                  .overflows = overflows};

void tci_tasks_init(tci_tasks *tasks)
{
    *tasks = (tci_tasks){.head = {&ops, UINT64_MAX}};
    tasks->ready_last = &tasks->ready;
}

void tci_tasks_fini(tci_tasks *tasks)
{
    TCI_INVARIANT_IS(task_count, tasks->count, ==, 0);
    tci_task_record_free_spares(&tasks->spares);
    tci_task_timers_free(&tasks->timers);
    tci_task_objects_free(&tasks->objects, &tasks->program);
    tci_shared_stack_close(&tasks->stack);
}
