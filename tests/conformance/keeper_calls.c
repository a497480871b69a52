#include "keeper_calls.h"

#include "../support/test_context.h"

#include <sched.h>
#include <tc/call.h>

keeper_hall hall;

static void note_end(void *user, const tc_call_outcome *outcome)
{
    visit *v = user;
    v->status = outcome->status;
    v->is_over = true;
}

void start(pair *p, tc_ep *ep, tc_ifunc *fn, keeper_order order, visit *v)
{
    tc_error error = {0};
    const tc_call_params params = {.result = &v->answer,
                                   .result_capacity = sizeof v->answer,
                                   .done = note_end,
                                   .user = v,
                                   .timeout_ns = PAIR_TIMEOUT_NS};
    tc_status status;
    order.hall = (uintptr_t)&hall;
    *v = (visit){.status = TC_E_AGAIN};
    while ((status = tc_call_start(ep, fn, &order, sizeof order, &params, NULL, &error)) ==
           TC_E_AGAIN)
        (void)tc_progress(p->source);
    must(status, &error, "start");
}

void await(pair *p, visit *v)
{
    while (!v->is_over)
        (void)tc_wait(p->source, MS);
    assert_ok(v->status);
}

keeper_answer ask(pair *p, tc_ifunc *fn, keeper_order order)
{
    visit v;
    start(p, p->ep, fn, order, &v);
    await(p, &v);
    return v.answer;
}

void await_waiting(pair *p, size_t count)
{
    size_t found;
    do {
        (void)tc_progress(p->source);
        sched_yield();
        pair_pause(p);
        found = tc_task_count(p->target);
        pair_resume(p);
    } while (found != count);
}

keeper_hall hall_now(pair *p)
{
    pair_pause(p);
    const keeper_hall found = hall;
    pair_resume(p);
    return found;
}

void hall_run(void (*test)(pair *p))
{
    memset(&hall, 0, sizeof hall);
    pair_run(test);
}

void hold_lock(pair *p)
{
    pair_pause(p);
    hall.lock.context = p->target;
    assert_ok(tc_task_lock_acquire(&hall.lock, 0));
    pair_resume(p);
}

tc_status release_lock(pair *p)
{
    pair_pause(p);
    const tc_status status = tc_task_lock_release(&hall.lock);
    pair_resume(p);
    return status;
}
