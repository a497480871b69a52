/* The public functions of tc/task_sync.h: the caller and its context, and the changes of an
 * object's holder. Objects in use are those of modules/tasks/task_objects.h. A plain function
 * is recorded nowhere: nothing runs until it has ended. */
#include "base/assertion.h"
#include "context/guests.h"
#include "modules/tasks/tasks.h"

#include <tc/task_sync.h>

typedef struct task_caller {
    tci_core *core;
    tci_tasks *tasks;
    tci_task_holder *holder; /* NULL: a plain function */
    bool may_wait;
} task_caller;

static tci_task_object_id id_of(tci_task_object_kind kind, const void *object)
{
    return (tci_task_object_id){(uintptr_t)object, kind};
}

/* Finds the running function, or the program. */
static tc_status find_caller(tc_context *context, task_caller *caller_out)
{
    const tc_ep *ep = tci_current_get()->ep;
    tci_core *core = ep != NULL ? ep->core : context != NULL ? &context->core : NULL;
    if (core == NULL || (ep == NULL && tci_guests_is_one(context)))
        return TC_E_BUSY;
    if (context != NULL && &context->core != core)
        return TC_E_INVALID;
    tci_tasks *tasks = tci_tasks_of(core);
    const bool may_wait = ep != NULL && tci_tasks_may_wait(core);
    tci_task_holder *own = tasks->task != NULL ? &tasks->task->holder : &tasks->beginner;
    *caller_out = (task_caller){.core = core,
                                .tasks = tasks,
                                .holder = ep == NULL ? &tasks->program
                                          : may_wait ? own
                                                     : NULL,
                                .may_wait = may_wait};
    return TC_OK;
}

/* --- objects with a holder ---------------------------------------------------------------- */

static tc_status acquire(tc_context *context, tci_task_object_id id, uint64_t timeout_ns)
{
    task_caller caller;
    TC_TRY(find_caller(context, &caller));
    tci_task_objects *objects = &caller.tasks->objects;
    const tci_task_object *object = tci_task_objects_find(objects, id);
    if (object == NULL) {
        tc_status status = TC_OK;
        if (caller.holder != NULL)
            status = tci_task_objects_reserve(objects);
        if (caller.holder != NULL && status == TC_OK)
            (void)tci_task_objects_add(objects, id, caller.holder);
        return status;
    }
    TCI_INVARIANT(task_holder, object->holder != NULL);
    if (object->holder == caller.holder)
        return TC_E_IN_USE;
    if (timeout_ns == 0)
        return TC_E_TIMEOUT;
    if (!caller.may_wait)
        return TC_E_BUSY;
    if (tci_task_objects_closes_circle(object, caller.holder))
        return TC_E_IN_USE;
    return tci_tasks_wait_for(caller.core, id, timeout_ns, NULL);
}

static tc_status release(tc_context *context, tci_task_object_id id)
{
    task_caller caller;
    TC_TRY(find_caller(context, &caller));
    tci_task_object *object = tci_task_objects_find(&caller.tasks->objects, id);
    if (object == NULL)
        return caller.holder == NULL ? TC_OK : TC_E_INVALID;
    if (object->holder != caller.holder)
        return TC_E_INVALID;
    tci_task_objects_hand_over(caller.core, object);
    return TC_OK;
}

tc_status tc_task_lock_acquire(tc_task_lock *lock, uint64_t timeout_ns)
{
    return acquire(lock->context, id_of(TCI_TASK_LOCK, lock), timeout_ns);
}

tc_status tc_task_lock_release(tc_task_lock *lock)
{
    return release(lock->context, id_of(TCI_TASK_LOCK, lock));
}

tc_status tc_task_enter(uint64_t object)
{
    return acquire(NULL, (tci_task_object_id){object, TCI_TASK_ENTERED}, TC_FOREVER);
}

tc_status tc_task_leave(uint64_t object)
{
    return release(NULL, (tci_task_object_id){object, TCI_TASK_ENTERED});
}

/* --- conditions --------------------------------------------------------------------------- */

static void signal_some(const task_caller *caller, tci_task_object_id id, uint64_t count)
{
    tci_task_object *object;
    while (count-- > 0 && (object = tci_task_objects_find(&caller->tasks->objects, id)) != NULL)
        tci_task_objects_wake(caller->core, object, TC_OK);
}

/* Gets the lock after the wait for a signal. Asks first whether it may wait, as a task that
 * waits too often after its end does not return from there. */
static tc_status acquire_again(const tci_tasks *tasks, tci_task_object_id lock)
{
    tc_status status = TC_OK;
    if (tci_task_objects_find(&tasks->objects, lock) != NULL)
        status = tci_tasks_why_not(tasks);
    return status != TC_OK ? status : acquire(NULL, lock, TC_FOREVER);
}

tc_status tc_task_condition_wait(tc_task_condition *condition, tc_task_lock *lock,
                                 uint64_t timeout_ns)
{
    const tci_task_object_id awaited = id_of(TCI_TASK_CONDITION, condition),
                             held = id_of(TCI_TASK_LOCK, lock);
    task_caller caller;
    TC_TRY(find_caller(lock->context, &caller));
    if (!caller.may_wait)
        return TC_E_BUSY;
    tci_task_object *object = tci_task_objects_find(&caller.tasks->objects, held);
    if (object == NULL || object->holder != caller.holder)
        return TC_E_INVALID;
    tc_status status = tci_tasks_wait_for(caller.core, awaited, timeout_ns, object);
    if (status != TC_OK && status != TC_E_TIMEOUT)
        return status;
    const tc_status again = acquire_again(caller.tasks, held);
    if (again != TC_OK && status == TC_OK)
        signal_some(&caller, awaited, 1); /* it is for the next one */
    return again != TC_OK ? again : status;
}

tc_status tc_task_condition_signal(tc_task_condition *condition, uint64_t count)
{
    task_caller caller;
    TC_TRY(find_caller(condition->context, &caller));
    signal_some(&caller, id_of(TCI_TASK_CONDITION, condition), count);
    return TC_OK;
}

/* --- semaphores --------------------------------------------------------------------------- */

tc_status tc_task_semaphore_acquire(tc_task_semaphore *semaphore, uint64_t timeout_ns)
{
    const tci_task_object_id id = id_of(TCI_TASK_SEMAPHORE, semaphore);
    task_caller caller;
    TC_TRY(find_caller(semaphore->context, &caller));
    if (semaphore->count > 0 && tci_task_objects_find(&caller.tasks->objects, id) == NULL) {
        semaphore->count--;
        return TC_OK;
    }
    if (timeout_ns == 0)
        return TC_E_TIMEOUT;
    if (!caller.may_wait)
        return TC_E_BUSY;
    return tci_tasks_wait_for(caller.core, id, timeout_ns, NULL);
}

tc_status tc_task_semaphore_release(tc_task_semaphore *semaphore, uint64_t units)
{
    const tci_task_object_id id = id_of(TCI_TASK_SEMAPHORE, semaphore);
    const uint64_t most = semaphore->count_max != 0 ? semaphore->count_max : UINT64_MAX;
    task_caller caller;
    TC_TRY(find_caller(semaphore->context, &caller));
    const tci_task_object *object = tci_task_objects_find(&caller.tasks->objects, id);
    const uint64_t waiting = object != NULL ? object->waiting : 0;
    const uint64_t given = units < waiting ? units : waiting;
    if (units > given && (semaphore->count > most || units - given > most - semaphore->count))
        return TC_E_TOO_LARGE;
    signal_some(&caller, id, given);
    semaphore->count += units - given;
    return TC_OK;
}

/* --- the end of objects ------------------------------------------------------------------- */

tc_status tc_task_forget(tc_context *context, uint64_t object)
{
    task_caller caller;
    TC_TRY(find_caller(context, &caller));
    for (unsigned kind = 0; kind < TCI_TASK_OBJECT_KINDS; kind++) {
        tci_task_object *found = tci_task_objects_find(
            &caller.tasks->objects, (tci_task_object_id){object, (tci_task_object_kind)kind});
        if (found != NULL)
            tci_task_objects_forget(caller.core, found, TC_E_NOT_FOUND);
    }
    return TC_OK;
}
