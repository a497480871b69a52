/* A function that waits with locks, as its order says. */
#include "keeper.h"

#include <stdbool.h>
#include <string.h>
#include <tc/entry.h>

static void begin(keeper_hall *hall, keeper_answer *answer)
{
    answer->place = hall->next++;
    hall->inside++;
    if (hall->inside > hall->most)
        hall->most = hall->inside;
}

/* Keeps it for that long. */
static tc_status stay_inside(const keeper_order *o, keeper_hall *hall, keeper_answer *answer)
{
    begin(hall, answer);
    tc_status status = TC_OK;
    for (uint32_t i = 0; i < o->turns && status == TC_OK; i++)
        status = tc_task_sleep(0);
    if (status == TC_OK && o->ns > 0)
        status = tc_task_sleep(o->ns);
    hall->inside--;
    return status;
}

static tc_status hold(const keeper_order *o, keeper_hall *hall, keeper_answer *answer)
{
    tc_status status = tc_task_lock_acquire(&hall->lock, o->timeout_ns);
    if (status != TC_OK)
        return status;
    status = stay_inside(o, hall, answer);
    return o->kind == KEEPER_LEAK || status != TC_OK ? status
                                                     : tc_task_lock_release(&hall->lock);
}

static tc_status enter(const keeper_order *o, keeper_hall *hall, keeper_answer *answer)
{
    tc_status status = tc_task_enter(o->object);
    return status == TC_OK ? stay_inside(o, hall, answer) : status;
}

static tc_status cross(const keeper_order *o, keeper_hall *hall)
{
    tc_status status = tc_task_enter(o->object);
    if (status == TC_OK)
        status = tc_task_semaphore_acquire(&hall->semaphore, TC_FOREVER);
    return status == TC_OK ? tc_task_enter(o->other) : status;
}

static tc_status stay(const keeper_order *o, keeper_hall *hall)
{
    tc_status status = tc_task_lock_acquire(&hall->lock, o->timeout_ns);
    while (status == TC_OK)
        status = tc_task_sleep(o->ns);
    hall->failed++;
    while (o->kind == KEEPER_INSIST)
        (void)tc_task_sleep(o->ns);
    return status;
}

static tc_status await(const keeper_order *o, keeper_hall *hall, keeper_answer *answer)
{
    tc_status status = tc_task_lock_acquire(&hall->lock, TC_FOREVER);
    while (status == TC_OK && hall->ready == 0)
        status = tc_task_condition_wait(&hall->condition, &hall->lock, o->timeout_ns);
    if (status == TC_OK) {
        hall->ready--;
        status = stay_inside(o, hall, answer);
    }
    if (status == TC_OK || status == TC_E_TIMEOUT) {
        tc_status released = tc_task_lock_release(&hall->lock);
        return status == TC_OK ? released : status;
    }
    hall->failed++;
    return status;
}

static tc_status take(const keeper_order *o, keeper_hall *hall, keeper_answer *answer)
{
    tc_status status = tc_task_semaphore_acquire(&hall->semaphore, o->timeout_ns);
    if (status != TC_OK)
        return status;
    status = stay_inside(o, hall, answer);
    return status == TC_OK ? tc_task_semaphore_release(&hall->semaphore, 1) : status;
}

static uint32_t count_mistakes(const keeper_order *o, keeper_hall *hall)
{
    uint32_t wrong = 0;
    tc_task_lock other = {0}, foreign = {.context = (tc_context *)(uintptr_t)64};
    wrong += tc_task_lock_release(&hall->lock) != TC_E_INVALID;
    wrong += tc_task_condition_wait(&hall->condition, &hall->lock, 1) != TC_E_INVALID;
    wrong += tc_task_lock_acquire(&hall->lock, 0) != TC_OK;
    wrong += tc_task_lock_acquire(&hall->lock, TC_FOREVER) != TC_E_IN_USE;
    wrong += tc_task_lock_acquire(&foreign, 0) != TC_E_INVALID;
    wrong += tc_task_condition_wait(&hall->condition, &other, 1) != TC_E_INVALID;
    wrong += tc_task_condition_wait(&hall->condition, &hall->lock, 1) != TC_E_TIMEOUT;
    wrong += tc_task_lock_release(&hall->lock) != TC_OK;
    wrong += tc_task_lock_release(&hall->lock) != TC_E_INVALID;
    wrong += tc_task_leave(o->object) != TC_E_INVALID;
    wrong += tc_task_enter(o->object) != TC_OK;
    wrong += tc_task_enter(o->object) != TC_E_IN_USE;
    wrong += tc_task_leave(o->object) != TC_OK;
    hall->semaphore.count_max = 3;
    wrong += tc_task_semaphore_acquire(&hall->semaphore, 0) != TC_E_TIMEOUT;
    wrong += tc_task_semaphore_acquire(&hall->semaphore, 1) != TC_E_TIMEOUT;
    wrong += tc_task_semaphore_release(&hall->semaphore, 4) != TC_E_TOO_LARGE;
    wrong += tc_task_semaphore_release(&hall->semaphore, 3) != TC_OK;
    wrong += tc_task_semaphore_release(&hall->semaphore, 1) != TC_E_TOO_LARGE;
    wrong += tc_task_semaphore_acquire(&hall->semaphore, 0) != TC_OK;
    return wrong + (hall->semaphore.count != 2);
}

static tc_status announce(const keeper_order *o, keeper_hall *hall)
{
    tc_status status = tc_task_lock_acquire(&hall->lock, TC_FOREVER);
    if (status != TC_OK)
        return status;
    hall->ready += (uint32_t)o->object;
    (void)tc_task_condition_signal(&hall->condition, o->object);
    return tc_task_lock_release(&hall->lock);
}

static tc_status run(const keeper_order *o, keeper_hall *hall, keeper_answer *answer)
{
    switch ((keeper_kind)o->kind) {
    case KEEPER_HOLD:
    case KEEPER_LEAK:
        return hold(o, hall, answer);
    case KEEPER_ENTER:
        return enter(o, hall, answer);
    case KEEPER_CROSS:
        return cross(o, hall);
    case KEEPER_STAY:
    case KEEPER_INSIST:
        return stay(o, hall);
    case KEEPER_AWAIT:
        return await(o, hall, answer);
    case KEEPER_SIGNAL:
        return announce(o, hall);
    case KEEPER_TAKE:
        return take(o, hall, answer);
    case KEEPER_GIVE:
        return tc_task_semaphore_release(&hall->semaphore, o->object);
    case KEEPER_FORGET:
        return tc_task_forget(NULL, (uintptr_t)&hall->lock);
    case KEEPER_MISTAKES:
        answer->place = count_mistakes(o, hall);
    }
    return TC_OK;
}

TC_THREADED(keeper)(void *payload, size_t size, void *target_args)
{
    keeper_order order;
    keeper_answer answer = {0, 0};
    (void)target_args;
    if (size != sizeof order) {
        tc_self_fail(TC_E_INVALID, "not an order");
        return;
    }
    memcpy(&order, payload, sizeof order);
    answer.status = run(&order, (keeper_hall *)(uintptr_t)order.hall, &answer);
    (void)tc_reply(&answer, sizeof answer);
}
