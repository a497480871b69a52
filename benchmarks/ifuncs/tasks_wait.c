/* A function that waits, as its order wants it: tasks.h. */
#include "tasks.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <tc/call.h>
#include <tc/task.h>
#include <time.h>

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static bool pause_until(uint64_t at)
{
    const uint64_t now = now_ns();
    return tc_task_sleep(at > now ? at - now : 0) == TC_OK;
}

static bool ask(uint64_t number)
{
    const tasks_order order = {.kind = TASKS_HOLD, .at = number};
    uint64_t answer = 0;
    size_t size = sizeof answer;
    return tc_call(tc_self_endpoint(), tc_self_ifunc(), &order, sizeof order, &answer, &size,
                   TASKS_CALL_NS, NULL) == TC_OK &&
           answer == number;
}

static bool answer(tasks_target *target, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t number = target->order[target->answered];
        if (tc_reply_to(&target->ticket[number], &number, sizeof number) != TC_OK)
            return false;
        target->answered++;
    }
    return true;
}

static bool pass(tasks_target *target, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (tc_task_sleep(0) != TC_OK)
            return false;
        target->passed++;
    }
    return true;
}

TC_THREADED(tasks_wait)(void *payload, size_t size, void *target_args)
{
    tasks_target *target = target_args;
    tasks_order order;
    bool ok;
    if (size != sizeof order) {
        tc_self_fail(TC_E_INVALID, "tasks_wait: an order of another size");
        return;
    }
    memcpy(&order, payload, sizeof order);
    switch (order.kind) {
    case TASKS_SLEEP:
        ok = pause_until(order.at);
        target->woken++;
        ok = ok && pass(target, order.count);
        break;
    case TASKS_ASK:
        ok = ask(order.at);
        target->woken++;
        break;
    case TASKS_HOLD:
        target->failed += tc_detach(&target->ticket[order.at]) != TC_OK;
        target->held++;
        return;
    default:
        ok = answer(target, order.count);
        break;
    }
    target->failed += !ok;
    target->ended++;
}
