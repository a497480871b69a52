/* A plain function that uses locks: it never waits. Answers with the status of the call that
 * its order names; KEEPER_HOLD acquires and releases. */
#include "keeper.h"

#include <string.h>
#include <tc/entry.h>

static tc_status run(const keeper_order *o, keeper_hall *hall)
{
    tc_status status;
    switch ((keeper_kind)o->kind) {
    case KEEPER_HOLD:
        status = tc_task_lock_acquire(&hall->lock, o->timeout_ns);
        return status == TC_OK ? tc_task_lock_release(&hall->lock) : status;
    case KEEPER_LEAK:
        return tc_task_lock_acquire(&hall->lock, o->timeout_ns);
    case KEEPER_ENTER:
        return tc_task_enter(o->object);
    case KEEPER_CROSS:
        return tc_task_lock_release(&hall->lock);
    case KEEPER_AWAIT:
        return tc_task_condition_wait(&hall->condition, &hall->lock, o->timeout_ns);
    case KEEPER_SIGNAL:
        hall->ready += (uint32_t)o->object;
        return tc_task_condition_signal(&hall->condition, o->object);
    case KEEPER_TAKE:
        return tc_task_semaphore_acquire(&hall->semaphore, o->timeout_ns);
    case KEEPER_GIVE:
        return tc_task_semaphore_release(&hall->semaphore, o->object);
    case KEEPER_FORGET:
        return tc_task_forget(NULL, (uintptr_t)&hall->lock);
    default:
        return TC_E_UNSUPPORTED;
    }
}

void porter_main(void *payload, size_t size, void *target_args)
{
    keeper_order order = {0};
    keeper_answer answer = {TC_E_INVALID, 0};
    (void)target_args;
    if (size == sizeof order) {
        memcpy(&order, payload, sizeof order);
        answer.status = run(&order, (keeper_hall *)(uintptr_t)order.hall);
    }
    (void)tc_reply(&answer, sizeof answer);
}
