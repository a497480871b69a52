/* The table of objects that tasks hold or wait for. */
#include "../../support/broken_invariant.h"
#include "../../support/test.h"
#include "modules/tasks/tasks.h"

#include "core/core.h"

enum { COUNT = 1000, WAITERS = 20 };

/* A core without anything but tasks, none of which runs. */
static tci_core core;
static tci_tasks tasks;
static tci_task waiting[WAITERS];

static tci_task_objects *open_table(void)
{
    memset(&core, 0, sizeof core);
    memset(waiting, 0, sizeof waiting);
    tci_tasks_init(&tasks);
    core.tasks = &tasks.head;
    for (int i = 0; i < WAITERS; i++)
        waiting[i].holder.task = &waiting[i];
    return &tasks.objects;
}

static tci_task_object *add(tci_task_objects *objects, uint64_t key, tci_task_object_kind kind,
                            tci_task_holder *holder)
{
    if (tci_task_objects_reserve(objects) != TC_OK)
        abort();
    return tci_task_objects_add(objects, (tci_task_object_id){key, kind}, holder);
}

/* Keys that differ in few bits: numbers, and addresses of pages. */
static uint64_t key_of(uint64_t i)
{
    return i % 2 == 0 ? i : i * 4096;
}

TEST(objects_are_found_while_the_table_grows)
{
    tci_task_objects *objects = open_table();
    for (uint64_t i = 0; i < COUNT; i++) {
        add(objects, key_of(i), i % 3 == 0 ? TCI_TASK_LOCK : TCI_TASK_ENTERED, &tasks.program);
        for (uint64_t k = 0; k <= i; k += 37) {
            const tci_task_object_id id = {key_of(k),
                                           k % 3 == 0 ? TCI_TASK_LOCK : TCI_TASK_ENTERED};
            const tci_task_object *found = tci_task_objects_find(objects, id);
            assert_non_null(found);
            assert_int_equal(found->id.key, id.key);
            assert_null(tci_task_objects_find(
                objects, (tci_task_object_id){id.key, TCI_TASK_CONDITION}));
        }
    }
    assert_int_equal(objects->count, COUNT);
    assert_int_equal(tci_task_objects_hand_over_all(&core, &tasks.program), (COUNT + 2) / 3);
    assert_int_equal(objects->count, 0);
    assert_true(objects->spare_count <= TCI_TASK_OBJECT_SPARES_MAX);
    tci_tasks_fini(&tasks);
}

TEST(the_table_has_a_bound)
{
    tci_task_objects *objects = open_table();
    for (uint64_t i = 0; i < TCI_TASK_OBJECTS_MAX; i++)
        add(objects, i, TCI_TASK_LOCK, &tasks.program);
    assert_status(tci_task_objects_reserve(objects), TC_E_TOO_LARGE);
    tci_task_objects_hand_over(&core, tasks.program.first);
    assert_ok(tci_task_objects_reserve(objects));
    tci_tasks_fini(&tasks);
}

/* Some leave before their turn. */
TEST(locks_are_handed_over_in_order)
{
    tci_task_objects *objects = open_table();
    tci_task_object *lock = add(objects, 8, TCI_TASK_LOCK, &tasks.program);
    for (int i = 0; i < WAITERS; i++)
        tci_task_objects_wait(lock, &waiting[i]);
    for (int i = 0; i < WAITERS; i += 3)
        tci_task_objects_leave(objects, &waiting[i].waiter);
    for (int i = 0; i < WAITERS; i++) {
        if (i % 3 == 0)
            continue;
        assert_false(waiting[i].nap.has_come);
        tci_task_objects_hand_over(&core, lock);
        assert_true(waiting[i].nap.has_come);
        assert_ok(waiting[i].waiter.status);
        assert_ptr_equal(lock->holder, &waiting[i].holder);
    }
    tci_task_objects_hand_over(&core, lock);
    assert_int_equal(objects->count, 0);
    tci_tasks_fini(&tasks);
}

TEST(circles_are_followed_to_their_bound)
{
    tci_task_objects *objects = open_table();
    tci_task_object *locks[WAITERS];
    tci_awaited_event event = {0};
    for (int i = 0; i < WAITERS; i++)
        locks[i] = add(objects, (uint64_t)i, TCI_TASK_LOCK, &waiting[i].holder);
    for (int i = 0; i < WAITERS - 1; i++) {
        tci_task_objects_wait(locks[i + 1], &waiting[i]);
        waiting[i].event = &event;
    }
    assert_true(tci_task_objects_closes_circle(locks[0], &waiting[WAITERS - 1].holder));
    waiting[5].event = NULL; /* its time is over */
    assert_false(tci_task_objects_closes_circle(locks[0], &waiting[WAITERS - 1].holder));
    for (int i = 0; i < WAITERS - 1; i++)
        tci_task_objects_leave(objects, &waiting[i].waiter);
    for (int i = 0; i < WAITERS; i++)
        tci_task_objects_hand_over(&core, locks[i]);
    tci_tasks_fini(&tasks);
}

TEST_BROKEN(task_object)
{
    tci_task_objects *objects = open_table();
    add(objects, 8, TCI_TASK_LOCK, &tasks.program);
    add(objects, 8, TCI_TASK_LOCK, &tasks.program);
}

TEST_BROKEN(task_holder)
{
    tci_task_objects *objects = open_table();
    tci_task_object *condition = add(objects, 8, TCI_TASK_CONDITION, NULL);
    tci_task_objects_hand_over(&core, condition);
}

TEST_BROKEN(task_waiter)
{
    tci_task_objects *objects = open_table();
    tci_task_object *lock = add(objects, 8, TCI_TASK_LOCK, &tasks.program);
    tci_task_objects_wait(lock, &waiting[0]);
    tci_task_objects_wait(lock, &waiting[0]);
}
