/* The heap of timers. */
#include "../../support/broken_invariant.h"
#include "../../support/test.h"
#include "modules/tasks/task_timers.h"

enum { COUNT = 500 };

static tci_task tasks[COUNT];

static void add_all(tci_task_timers *timers)
{
    memset(tasks, 0, sizeof tasks);
    for (unsigned i = 0; i < COUNT; i++) {
        tasks[i].due_ns = i * 7919u % 101;
        assert_ok(tci_task_timers_reserve(timers));
        tci_task_timers_add(timers, &tasks[i]);
    }
}

/* Returns how many came, each not before the one that came last. */
static unsigned take_all(tci_task_timers *timers)
{
    unsigned count = 0;
    uint64_t last = 0;
    tci_task *first;
    for (; (first = tci_task_timers_first(timers)) != NULL; count++) {
        assert_true(first->due_ns >= last);
        last = first->due_ns;
        tci_task_timers_remove(timers, first);
        assert_int_equal(first->timer, 0);
    }
    return count;
}

TEST(timers_come_in_order)
{
    tci_task_timers timers = {0};
    add_all(&timers);
    assert_int_equal(take_all(&timers), COUNT);
    tci_task_timers_free(&timers);
}

TEST(any_may_be_removed)
{
    tci_task_timers timers = {0};
    add_all(&timers);
    for (unsigned i = 0; i < COUNT; i += 3) {
        tci_task_timers_remove(&timers, &tasks[i * 31 % COUNT]);
        tci_task_timers_remove(&timers, &tasks[i * 31 % COUNT]); /* it is not there */
    }
    unsigned left = 0;
    for (unsigned i = 0; i < COUNT; i++)
        left += tasks[i].timer != 0;
    assert_true(left < COUNT);
    assert_int_equal(timers.count, left);
    assert_int_equal(take_all(&timers), left);
    tci_task_timers_free(&timers);
}

TEST_BROKEN(task_timer)
{
    tci_task_timers timers = {0};
    memset(tasks, 0, sizeof tasks);
    (void)!tci_task_timers_reserve(&timers);
    tci_task_timers_add(&timers, &tasks[0]);
    tci_task_timers_add(&timers, &tasks[0]);
}
