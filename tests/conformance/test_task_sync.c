/* Locks, conditions and semaphores of functions that wait, and functions that run one at a time
 * for an object. */
#include "../support/shipped_library.h"
#include "../support/test.h"
#include "keeper_calls.h"

#include <tc/call.h>

/* --- locks -------------------------------------------------------------------------------- */

HALL_TEST(a_lock_is_had_in_order)
{
    tc_ifunc *fn = pair_ifunc(p, "keeper");
    static visit visits[MANY];
    const keeper_order brief = {.kind = KEEPER_HOLD, .turns = 1, .timeout_ns = TC_FOREVER},
                       none = {.kind = KEEPER_HOLD, .timeout_ns = TC_FOREVER};
    for (unsigned i = 0; i < MANY; i++)
        start(p, p->ep, fn, i % 3 == 0 ? none : brief, &visits[i]);
    for (unsigned i = 0; i < MANY; i++) {
        await(p, &visits[i]);
        assert_ok(visits[i].answer.status);
        assert_int_equal(visits[i].answer.place, i);
    }
    assert_int_equal(hall_now(p).most, 1);
    assert_int_equal(hall_now(p).inside, 0);
    await_waiting(p, 0);
}

HALL_TEST(mistakes_are_found)
{
    tc_ifunc *fn = pair_ifunc(p, "keeper");
    const keeper_order order = {.kind = KEEPER_MISTAKES, .object = 7};
    assert_int_equal(ask(p, fn, order).place, 0);
    await_waiting(p, 0);
}

HALL_TEST(a_wait_for_a_lock_has_a_time)
{
    tc_ifunc *fn = pair_ifunc(p, "keeper");
    visit behind;
    hold_lock(p);
    keeper_order order = {.kind = KEEPER_HOLD, .timeout_ns = 0};
    assert_status(ask(p, fn, order).status, TC_E_TIMEOUT);
    order.timeout_ns = MS;
    assert_status(ask(p, fn, order).status, TC_E_TIMEOUT);
    order.timeout_ns = PAIR_TIMEOUT_NS;
    start(p, p->ep, fn, order, &behind);
    await_waiting(p, 1);
    assert_ok(release_lock(p));
    await(p, &behind);
    assert_ok(behind.answer.status);
}

/* The next one gets it, whatever the end. */
HALL_TEST(an_end_releases_locks)
{
    tc_ifunc *fn = pair_ifunc(p, "keeper"), *warden = pair_ifunc(p, "warden");
    const uint64_t address = (uintptr_t)&hall;
    const keeper_order leak = {.kind = KEEPER_LEAK, .timeout_ns = TC_FOREVER},
                       later = {.kind = KEEPER_LEAK, .turns = 2, .timeout_ns = TC_FOREVER};
    assert_ok(ask(p, fn, leak).status);
    assert_ok(ask(p, fn, later).status);
    visit visits[6];
    for (int i = 0; i < 6; i++)
        start(p, p->ep, fn, i % 2 == 0 ? later : leak, &visits[i]);
    tc_error error = {0};
    for (int i = 0; i < 3; i++) {
        assert_status(tc_call(p->ep, warden, &address, sizeof address, NULL, NULL,
                              PAIR_TIMEOUT_NS, &error),
                      TC_E_THROWN);
        assert_non_null(strstr(error.text, "held and left"));
    }
    for (int i = 0; i < 6; i++) {
        await(p, &visits[i]);
        assert_ok(visits[i].answer.status);
    }
    assert_ok(ask(p, fn, (keeper_order){.kind = KEEPER_HOLD}).status);
    assert_int_equal(hall_now(p).most, 1);
}

/* Holders and those behind them lose their endpoint; one that goes on waiting is abandoned. */
HALL_TEST(an_endpoints_end_leaves_no_lock)
{
    tc_ifunc *fn = pair_ifunc(p, "keeper");
    const keeper_order kinds[] = {
        {.kind = KEEPER_STAY, .ns = HOUR, .timeout_ns = TC_FOREVER},
        {.kind = KEEPER_INSIST, .ns = HOUR, .timeout_ns = TC_FOREVER}};
    for (int i = 0; i < 2; i++) {
        tc_ep *other = pair_connect(p);
        visit mine, lost[3];
        for (int k = 0; k < 3; k++)
            start(p, other, fn, kinds[i], &lost[k]);
        pair_flush(other);
        start(p, p->ep, fn, (keeper_order){.kind = KEEPER_HOLD, .timeout_ns = TC_FOREVER},
              &mine);
        await_waiting(p, 4);
        tc_ep_close(other);
        await(p, &mine);
        assert_ok(mine.answer.status);
        await_waiting(p, 0);
    }
    assert_int_equal(hall_now(p).failed, 6);
}

HALL_TEST(a_context_ends_with_waiters)
{
    tc_ifunc *fn = pair_ifunc(p, "keeper");
    static visit visits[4];
    const keeper_order stay = {.kind = KEEPER_STAY, .ns = HOUR, .timeout_ns = TC_FOREVER},
                       wanting = {.kind = KEEPER_AWAIT, .timeout_ns = TC_FOREVER};
    start(p, p->ep, fn, wanting, &visits[0]);
    start(p, p->ep, fn, wanting, &visits[1]);
    start(p, p->ep, fn, stay, &visits[2]);
    start(p, p->ep, fn, stay, &visits[3]);
    await_waiting(p, 4);
    pair_pause(p);
    hall.lock.context = p->target;
    assert_status(tc_task_lock_acquire(&hall.lock, TC_FOREVER), TC_E_BUSY);
    tc_task_lock own = {.context = p->target};
    assert_ok(tc_task_lock_acquire(&own, 0)); /* held at the end */
    tc_context_destroy(p->target);
    assert_int_equal(hall.failed, 4);
    p->target = test_context(NULL);
    pair_resume(p);
}

/* The holder is a function, and the program. */
HALL_TEST(a_lock_is_forgotten)
{
    tc_ifunc *fn = pair_ifunc(p, "keeper"), *plain = pair_ifunc(p, "porter");
    static visit holder;
    visit behind[2];
    tc_ep *other = pair_connect(p);
    for (int round = 0; round < 2; round++) {
        if (round == 0)
            start(p, other, fn, (keeper_order){.kind = KEEPER_STAY, .ns = HOUR}, &holder);
        else
            hold_lock(p);
        await_waiting(p, 1);
        for (int i = 0; i < 2; i++)
            start(p, p->ep, fn, (keeper_order){.kind = KEEPER_HOLD, .timeout_ns = TC_FOREVER},
                  &behind[i]);
        await_waiting(p, 3);
        assert_ok(
            ask(p, round == 0 ? fn : plain, (keeper_order){.kind = KEEPER_FORGET}).status);
        for (int i = 0; i < 2; i++) {
            await(p, &behind[i]);
            assert_status(behind[i].answer.status, TC_E_NOT_FOUND);
        }
    }
    assert_status(release_lock(p), TC_E_INVALID);
    assert_ok(ask(p, fn, (keeper_order){.kind = KEEPER_HOLD}).status);
    tc_ep_close(other);
    await_waiting(p, 0);
}

/* --- one function at a time --------------------------------------------------------------- */

HALL_TEST(objects_are_entered_in_order)
{
    tc_ifunc *fn = pair_ifunc(p, "keeper");
    static visit visits[MANY];
    keeper_order order = {.kind = KEEPER_ENTER, .object = 5};
    for (unsigned i = 0; i < MANY; i++) {
        order.turns = i % 4;
        start(p, p->ep, fn, order, &visits[i]);
    }
    for (unsigned i = 0; i < MANY; i++) {
        await(p, &visits[i]);
        assert_ok(visits[i].answer.status);
        assert_int_equal(visits[i].answer.place, i);
    }
    assert_int_equal(hall_now(p).most, 1);
}

HALL_TEST(objects_are_apart)
{
    tc_ifunc *fn = pair_ifunc(p, "keeper");
    static visit visits[MANY];
    tc_ep *other = pair_connect(p);
    for (unsigned i = 0; i < MANY; i++)
        start(p, other, fn,
              (keeper_order){.kind = KEEPER_ENTER, .ns = HOUR, .object = i * 4096}, &visits[i]);
    await_waiting(p, MANY);
    assert_int_equal(hall_now(p).most, MANY);
    tc_ep_close(other);
    await_waiting(p, 0);
}

/* Each enters its own object, and then that of the next one, all at once. */
static void start_circle(pair *p, tc_ep *ep, unsigned length, visit *visits)
{
    tc_ifunc *fn = pair_ifunc(p, "keeper");
    for (unsigned i = 0; i < length; i++)
        start(p, ep, fn,
              (keeper_order){
                  .kind = KEEPER_CROSS, .object = 100 + i, .other = 100 + (i + 1) % length},
              &visits[i]);
    await_waiting(p, length);
    assert_ok(ask(p, fn, (keeper_order){.kind = KEEPER_GIVE, .object = length}).status);
}

/* The function that closes the circle gets the status. Each other one goes on. */
HALL_TEST(circles_are_found)
{
    static const unsigned lengths[] = {2, 3, 10, 64};
    static visit visits[64];
    for (unsigned k = 0; k < sizeof lengths / sizeof lengths[0]; k++) {
        unsigned refused = 0;
        start_circle(p, p->ep, lengths[k], visits);
        for (unsigned i = 0; i < lengths[k]; i++) {
            await(p, &visits[i]);
            if (visits[i].answer.status != TC_OK)
                assert_status(visits[i].answer.status, TC_E_IN_USE);
            refused += visits[i].answer.status != TC_OK;
        }
        assert_int_equal(refused, 1);
    }
}

/* It waits until its endpoint ends. */
HALL_TEST(a_circle_that_is_too_long_stays)
{
    enum { LENGTH = 66 };
    tc_ifunc *fn = pair_ifunc(p, "keeper");
    static visit visits[LENGTH];
    tc_ep *other = pair_connect(p);
    start_circle(p, other, LENGTH, visits);
    for (int i = 0; i < 10; i++)
        assert_ok(ask(p, fn, (keeper_order){.kind = KEEPER_HOLD, .turns = 1}).status);
    await_waiting(p, LENGTH);
    tc_ep_close(other);
    await_waiting(p, 0);
    assert_ok(ask(p, fn, (keeper_order){.kind = KEEPER_ENTER, .object = 100}).status);
}

/* Those of one version of a library exclude one another by its variable. */
HALL_TEST(variables_exclude_across_an_upgrade)
{
    static uint64_t versions[60];
    tc_error error = {0};
    shipped_library_push(p->ep, SHELF(1));
    tc_ifunc *fn = pair_ifunc(p, "tenant");
    for (unsigned i = 0; i < 60; i++) {
        const uint64_t ns = 0;
        const tc_call_params params = {.result = &versions[i],
                                       .result_capacity = sizeof versions[i],
                                       .timeout_ns = PAIR_TIMEOUT_NS};
        must(tc_call_start(p->ep, fn, &ns, sizeof ns, &params, NULL, &error), &error, "start");
        if (i % 20 == 10)
            shipped_library_push(p->ep, i == 30 ? SHELF(1) : SHELF(2));
    }
    assert_ok(tc_calls_wait(p->source, PAIR_TIMEOUT_NS));
    pair_pause(p);
    assert_int_equal(p->target_state.next, 60);
    assert_int_equal(p->target_state.wrong, 0);
    pair_resume(p);
}

TEST(outside_of_functions_objects_need_a_context)
{
    tc_task_lock lock = {0};
    tc_task_condition condition = {0};
    tc_task_semaphore semaphore = {.count = 1};
    assert_status(tc_task_lock_acquire(&lock, 0), TC_E_BUSY);
    assert_status(tc_task_lock_release(&lock), TC_E_BUSY);
    assert_status(tc_task_condition_wait(&condition, &lock, 0), TC_E_BUSY);
    assert_status(tc_task_condition_signal(&condition, 1), TC_E_BUSY);
    assert_status(tc_task_semaphore_acquire(&semaphore, 0), TC_E_BUSY);
    assert_status(tc_task_semaphore_release(&semaphore, 1), TC_E_BUSY);
    assert_status(tc_task_enter(1), TC_E_BUSY);
    assert_status(tc_task_leave(1), TC_E_BUSY);
    assert_status(tc_task_forget(NULL, 1), TC_E_BUSY);
    assert_int_equal(semaphore.count, 1);
}
