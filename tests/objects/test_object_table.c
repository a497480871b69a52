/* The objects of a rank, those of its home, and facts about others. */
#include "../../objects/object_table.h"

#include "../support/test.h"

#include <stdlib.h>
#include <string.h>

static tco_table table;

static int begin(void **state)
{
    (void)state;
    return tco_table_init(&table, 3, 100) == TC_OK ? 0 : -1;
}

static void drop(tco_record *record)
{
    free(record);
}

static int end(void **state)
{
    (void)state;
    tco_table_fini(&table, drop);
    return 0;
}

static tco_record *record_of(tc_gptr object)
{
    tco_record *record = calloc(1, sizeof *record);
    assert_non_null(record);
    record->object = object;
    record->last = &record->first;
    return record;
}

static tc_gptr claim(void)
{
    tc_gptr object;
    tc_error error;
    assert_ok(tco_table_claim(&table, &object, &error));
    assert_true(tco_pointer_is_valid(object, 4));
    assert_int_equal(object.rank, 3);
    return object;
}

static void add(tco_record *record)
{
    tc_error error;
    assert_ok(tco_table_add(&table, record, &error));
    assert_ptr_equal(tco_table_find(&table, record->object), record);
}

static void take_out(tco_record *record)
{
    const tc_gptr object = record->object;
    tco_table_remove(&table, record);
    free(record);
    assert_null(tco_table_find(&table, object));
}

static uint32_t where(tc_gptr object, uint64_t *moves_out)
{
    tco_fact fact;
    assert_ok(tco_table_where(&table, object, &fact, NULL));
    *moves_out = fact.moves;
    return fact.rank;
}

/* An index is used again, with another use. */
TEST_WITH(uses, begin, end)
{
    tc_error error;
    tco_fact fact;
    (void)state;
    const tc_gptr first = claim();
    assert_int_equal(tco_pointer_use(first), 1);
    add(record_of(first));
    take_out(tco_table_find(&table, first));
    tco_table_release(&table, first);
    assert_status(tco_table_where(&table, first, &fact, &error), TC_E_NOT_FOUND);
    tco_table_release(&table, first); /* again: without effect */
    const tc_gptr second = claim();
    assert_int_equal(tco_pointer_index(second), tco_pointer_index(first));
    assert_int_equal(tco_pointer_use(second), 2);
    add(record_of(second));
    assert_null(tco_table_find(&table, first));
    tco_table_release(&table, first);
    assert_non_null(tco_table_find(&table, second));
}

TEST_WITH(uses_are_used_up, begin, end)
{
    (void)state;
    const tc_gptr first = claim();
    table.slots[0].use = UINT32_MAX;
    tc_gptr last = first;
    last.offset |= (uint64_t)UINT32_MAX << 32;
    tco_table_release(&table, last);
    const tc_gptr other = claim();
    assert_int_equal(tco_pointer_index(other), 1);
    last.offset &= UINT32_MAX;
    assert_null(tco_table_find(&table, last));
}

TEST_WITH(capacity, begin, end)
{
    tc_gptr object = {0}, objects[100];
    tc_error error;
    (void)state;
    for (int i = 0; i < 100; i++) {
        objects[i] = claim();
        add(record_of(objects[i]));
    }
    assert_status(tco_table_claim(&table, &object, &error), TC_E_TOO_LARGE);
    assert_non_null(strstr(error.text, "objects_max is 100"));
    tco_record *guest = record_of(tco_pointer_make(1, 7, 1));
    assert_status(tco_table_add(&table, guest, &error), TC_E_TOO_LARGE);
    take_out(tco_table_find(&table, objects[40]));
    add(guest);
    assert_status(tco_table_claim(&table, &object, &error), TC_E_TOO_LARGE);
    tco_table_release(&table, objects[40]);
    assert_int_equal(tco_pointer_index(claim()), tco_pointer_index(objects[40]));
}

TEST_WITH(guests, begin, end)
{
    (void)state;
    /* One index of several homes, and several uses; the table grows. */
    for (uint32_t i = 0; i < 90; i++)
        add(record_of(tco_pointer_make(i % 3, i / 30, 1 + i % 30)));
    for (uint32_t i = 0; i < 90; i += 2)
        take_out(tco_table_find(&table, tco_pointer_make(i % 3, i / 30, 1 + i % 30)));
    for (uint32_t i = 1; i < 90; i += 2)
        assert_non_null(tco_table_find(&table, tco_pointer_make(i % 3, i / 30, 1 + i % 30)));
    assert_int_equal(table.record_count, 45);
}

TEST_WITH(facts_of_the_home, begin, end)
{
    uint64_t moves;
    tco_fact fact;
    (void)state;
    const tc_gptr object = claim();
    add(record_of(object));
    tco_table_learn(&table, object, 1, 5); /* it is here */
    take_out(tco_table_find(&table, object));
    assert_status(tco_table_where(&table, object, &fact, NULL), TC_E_NOT_FOUND);
    tco_table_learn(&table, object, 1, 2);
    tco_table_learn(&table, object, 2, 1);
    assert_int_equal(where(object, &moves), 1);
    assert_int_equal(moves, 2);
    tco_table_learn(&table, object, 2, 3);
    tco_table_forget(&table, object);
    assert_int_equal(where(object, &moves), 2);
    tco_table_learn(&table, tco_pointer_make(3, 70, 1), 2, 3); /* no such object */
    assert_status(tco_table_where(&table, tco_pointer_make(3, 70, 1), &fact, NULL),
                  TC_E_NOT_FOUND);
}

TEST_WITH(facts_of_others, begin, end)
{
    uint64_t moves;
    const tc_gptr object = tco_pointer_make(0, 9, 4);
    (void)state;
    assert_int_equal(where(object, &moves), 0);
    tco_table_learn(&table, object, 2, 6);
    tco_table_learn(&table, object, 1, 5);
    tco_table_learn(&table, object, 3, 8); /* this rank, which has it not */
    assert_int_equal(where(object, &moves), 2);
    assert_int_equal(moves, 6);
    assert_int_equal(where(tco_pointer_make(0, 9, 5), &moves), 0);
    tco_table_forget(&table, tco_pointer_make(0, 9, 5));
    assert_int_equal(where(object, &moves), 2);
    tco_table_forget(&table, object);
    assert_int_equal(where(object, &moves), 0);
    assert_int_equal(moves, 0);
}

/* More facts than the table has: each is right, or was overwritten. */
TEST_WITH(many_facts, begin, end)
{
    uint64_t moves;
    unsigned known = 0;
    (void)state;
    for (uint32_t i = 0; i < 3 * TCO_FACTS; i++)
        tco_table_learn(&table, tco_pointer_make(0, i, 1), 1 + i % 2, i + 1);
    for (uint32_t i = 0; i < 3 * TCO_FACTS; i++) {
        const uint32_t rank = where(tco_pointer_make(0, i, 1), &moves);
        assert_true(moves == 0 ? rank == 0 : rank == 1 + i % 2 && moves == i + 1);
        known += moves > 0;
    }
    assert_in_range(known, TCO_FACTS / 2, TCO_FACTS);
}

TEST(pointers)
{
    tc_error error;
    tc_gptr object = tco_pointer_make(3, 5, 9);
    (void)state;
    assert_ok(tco_pointer_check(object, 4, &error));
    assert_true(tco_pointer_is_valid(object, 4));
    assert_int_equal(tco_pointer_index(object), 5);
    assert_int_equal(tco_pointer_use(object), 9);
    assert_status(tco_pointer_check(object, 3, &error), TC_E_INVALID);
    object.window = 0;
    assert_status(tco_pointer_check(object, 4, NULL), TC_E_INVALID);
    memset(&object, 0, sizeof object);
    assert_false(tco_pointer_is_valid(object, 4));
    memset(&object, 0xff, sizeof object);
    assert_false(tco_pointer_is_valid(object, UINT32_MAX));
    assert_status(tco_pointer_check(tco_pointer_make(0, 1, 0), 1, &error), TC_E_INVALID);
    assert_non_null(strstr(error.text, "use 0"));
}
