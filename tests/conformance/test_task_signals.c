/* Conditions and semaphores of functions that wait, and the use of all of these by plain
 * functions and by the program. */
#include "../support/test.h"
#include "keeper_calls.h"

static const keeper_order wanting = {.kind = KEEPER_AWAIT, .timeout_ns = TC_FOREVER};

/* --- conditions --------------------------------------------------------------------------- */

HALL_TEST(signals_wake_in_order)
{
    tc_ifunc *fn = pair_ifunc(p, "keeper");
    static visit visits[MANY];
    for (unsigned i = 0; i < MANY; i++)
        start(p, p->ep, fn, wanting, &visits[i]);
    await_waiting(p, MANY);
    for (unsigned i = 0; i < MANY;) {
        const unsigned count = i % 7 + 1 < MANY - i ? i % 7 + 1 : MANY - i;
        assert_ok(ask(p, fn, (keeper_order){.kind = KEEPER_SIGNAL, .object = count}).status);
        for (const unsigned end = i + count; i < end; i++) {
            await(p, &visits[i]);
            assert_ok(visits[i].answer.status);
            assert_int_equal(visits[i].answer.place, i);
        }
        await_waiting(p, MANY - i);
    }
    assert_int_equal(hall_now(p).most, 1);
    assert_int_equal(hall_now(p).ready, 0);
}

/* Every thing that is ready is taken, whatever comes between. */
HALL_TEST(no_signal_is_lost)
{
    tc_ifunc *fn = pair_ifunc(p, "keeper"), *plain = pair_ifunc(p, "porter");
    static visit takers[MANY], givers[MANY];
    for (unsigned i = 0; i < MANY; i++) {
        keeper_order taker = wanting, giver = {.kind = KEEPER_SIGNAL, .object = 1};
        taker.turns = i % 5;
        start(p, p->ep, fn, taker, &takers[i]);
        start(p, p->ep, i % 2 == 0 ? fn : plain, giver, &givers[i]);
    }
    for (unsigned i = 0; i < MANY; i++) {
        await(p, &takers[i]);
        await(p, &givers[i]);
        assert_ok(takers[i].answer.status);
        assert_ok(givers[i].answer.status);
    }
    assert_int_equal(hall_now(p).ready, 0);
    assert_int_equal(hall_now(p).most, 1);
    await_waiting(p, 0);
}

HALL_TEST(a_wait_for_a_signal_has_a_time)
{
    tc_ifunc *fn = pair_ifunc(p, "keeper");
    keeper_order order = {.kind = KEEPER_AWAIT, .timeout_ns = 0};
    assert_status(ask(p, fn, order).status, TC_E_TIMEOUT);
    order.timeout_ns = MS;
    assert_status(ask(p, fn, order).status, TC_E_TIMEOUT);
    order.timeout_ns = PAIR_TIMEOUT_NS;
    visit v;
    start(p, p->ep, fn, order, &v);
    await_waiting(p, 1);
    assert_ok(ask(p, fn, (keeper_order){.kind = KEEPER_SIGNAL, .object = 1}).status);
    await(p, &v);
    assert_ok(v.answer.status);
}

/* The first ones are signalled while another has the lock, and then lose their endpoint: their
 * signals go to those behind them. */
HALL_TEST(signals_of_those_that_end_go_on)
{
    tc_ifunc *fn = pair_ifunc(p, "keeper"), *plain = pair_ifunc(p, "porter");
    tc_ep *other = pair_connect(p);
    static visit lost[5], kept[5];
    for (int i = 0; i < 5; i++)
        start(p, other, fn, wanting, &lost[i]);
    await_waiting(p, 5);
    for (int i = 0; i < 5; i++)
        start(p, p->ep, fn, wanting, &kept[i]);
    await_waiting(p, 10);
    hold_lock(p);
    assert_ok(ask(p, plain, (keeper_order){.kind = KEEPER_SIGNAL, .object = 5}).status);
    tc_ep_close(other);
    await_waiting(p, 5);
    assert_ok(release_lock(p));
    for (int i = 0; i < 5; i++) {
        await(p, &kept[i]);
        assert_ok(kept[i].answer.status);
    }
    await_waiting(p, 0);
    assert_int_equal(hall_now(p).failed, 5);
    assert_int_equal(hall_now(p).ready, 0);
}

/* --- semaphores --------------------------------------------------------------------------- */

HALL_TEST(units_are_had_in_order)
{
    tc_ifunc *fn = pair_ifunc(p, "keeper");
    static visit visits[MANY];
    pair_pause(p);
    hall.semaphore.count = 3;
    pair_resume(p);
    for (unsigned i = 0; i < MANY; i++)
        start(p, p->ep, fn,
              (keeper_order){.kind = KEEPER_TAKE, .turns = 1 + i % 3, .timeout_ns = TC_FOREVER},
              &visits[i]);
    for (unsigned i = 0; i < MANY; i++) {
        await(p, &visits[i]);
        assert_ok(visits[i].answer.status);
        assert_int_equal(visits[i].answer.place, i);
    }
    assert_int_equal(hall_now(p).most, 3);
    assert_int_equal(hall_now(p).semaphore.count, 3);
}

HALL_TEST(units_go_past_those_that_end)
{
    tc_ifunc *fn = pair_ifunc(p, "keeper");
    tc_ep *other = pair_connect(p);
    static visit lost[3];
    visit timed, mine;
    keeper_order order = {.kind = KEEPER_TAKE, .timeout_ns = TC_FOREVER};
    for (int i = 0; i < 3; i++)
        start(p, other, fn, order, &lost[i]);
    await_waiting(p, 3);
    order.timeout_ns = 5 * MS;
    start(p, p->ep, fn, order, &timed);
    order.timeout_ns = TC_FOREVER;
    start(p, p->ep, fn, order, &mine);
    await(p, &timed);
    assert_status(timed.answer.status, TC_E_TIMEOUT);
    tc_ep_close(other);
    await_waiting(p, 1);
    assert_ok(ask(p, fn, (keeper_order){.kind = KEEPER_GIVE, .object = 2}).status);
    await(p, &mine);
    assert_ok(mine.answer.status);
    await_waiting(p, 0);
    assert_int_equal(hall_now(p).semaphore.count, 2);
}

/* --- plain functions and the program ------------------------------------------------------ */

HALL_TEST(plain_functions_do_not_wait)
{
    tc_ifunc *fn = pair_ifunc(p, "keeper"), *plain = pair_ifunc(p, "porter");
    const keeper_order get = {.kind = KEEPER_HOLD, .timeout_ns = TC_FOREVER};
    assert_ok(ask(p, plain, get).status);
    assert_ok(ask(p, plain, (keeper_order){.kind = KEEPER_LEAK}).status); /* its end frees it */
    assert_ok(ask(p, plain, (keeper_order){.kind = KEEPER_ENTER, .object = 3}).status);
    assert_ok(ask(p, fn, get).status);
    hold_lock(p);
    assert_status(ask(p, plain, get).status, TC_E_BUSY);
    assert_status(ask(p, plain, (keeper_order){.kind = KEEPER_HOLD}).status, TC_E_TIMEOUT);
    assert_status(ask(p, plain, (keeper_order){.kind = KEEPER_CROSS}).status, TC_E_INVALID);
    assert_status(ask(p, plain, wanting).status, TC_E_BUSY);
    assert_ok(release_lock(p));
    const keeper_order take = {.kind = KEEPER_TAKE, .timeout_ns = TC_FOREVER};
    assert_status(ask(p, plain, take).status, TC_E_BUSY);
    assert_ok(ask(p, plain, (keeper_order){.kind = KEEPER_GIVE, .object = 2}).status);
    assert_ok(ask(p, plain, take).status);
    assert_int_equal(hall_now(p).semaphore.count, 1);
}

HALL_TEST(the_program_uses_objects_of_its_context)
{
    tc_ifunc *fn = pair_ifunc(p, "keeper"), *plain = pair_ifunc(p, "porter");
    static visit visits[3];
    pair_pause(p);
    hall.lock.context = hall.condition.context = hall.semaphore.context = p->target;
    assert_ok(tc_task_lock_acquire(&hall.lock, TC_FOREVER));
    assert_status(tc_task_lock_acquire(&hall.lock, TC_FOREVER), TC_E_IN_USE);
    assert_status(tc_task_condition_wait(&hall.condition, &hall.lock, 0), TC_E_BUSY);
    pair_resume(p);
    start(p, p->ep, fn, (keeper_order){.kind = KEEPER_HOLD, .timeout_ns = TC_FOREVER},
          &visits[0]);
    start(p, p->ep, fn, (keeper_order){.kind = KEEPER_TAKE, .timeout_ns = TC_FOREVER},
          &visits[1]);
    await_waiting(p, 2);
    const keeper_order get = {.kind = KEEPER_HOLD, .timeout_ns = TC_FOREVER};
    assert_status(ask(p, plain, get).status, TC_E_BUSY);
    pair_pause(p);
    assert_ok(tc_task_lock_release(&hall.lock));
    assert_status(tc_task_lock_release(&hall.lock), TC_E_INVALID);
    assert_ok(tc_task_semaphore_release(&hall.semaphore, 1));
    pair_resume(p);
    await(p, &visits[0]);
    await(p, &visits[1]);
    start(p, p->ep, fn, wanting, &visits[2]);
    await_waiting(p, 1);
    pair_pause(p);
    hall.ready = 1;
    assert_ok(tc_task_condition_signal(&hall.condition, UINT64_MAX));
    pair_resume(p);
    for (int i = 0; i < 3; i++) {
        await(p, &visits[i]);
        assert_ok(visits[i].answer.status);
    }
    pair_pause(p);
    assert_ok(tc_task_forget(p->target, (uintptr_t)&hall.lock)); /* nothing holds it */
    pair_resume(p);
}
