/* The causes of pending work, and the rules that keep a wake-up from being lost. */
#include "../support/test.h"
#include "core/pending.h"

static const unsigned causes[] = {TCI_WORK_QUEUE,     TCI_WORK_LINK,   TCI_WORK_GOODBYE,
                                  TCI_WORK_HANDSHAKE, TCI_WORK_HELLO,  TCI_WORK_REPLY,
                                  TCI_WORK_STATE,     TCI_WORK_SERVICE};
#define CAUSE_COUNT (sizeof causes / sizeof causes[0])

static void each_cause_is_work_and_is_taken_once(void **state)
{
    for (size_t i = 0; i < CAUSE_COUNT; i++) {
        tci_pending pending = {0};
        tci_pending_add(&pending, causes[i]);
        tci_pending_add(&pending, causes[i]);
        assert_true(tci_pending_has(&pending, TCI_WORK));
        assert_int_equal(tci_pending_take(&pending, TCI_WORK), causes[i]);
        assert_false(tci_pending_has(&pending, TCI_WORK));
        assert_int_equal(tci_pending_take(&pending, TCI_WORK), 0);
    }
}

/* Rule 2: housekeeping takes all causes first, so what is added while it looks stays. */
static void what_is_added_after_the_taking_stays(void **state)
{
    tci_pending pending = {0};
    tci_pending_add(&pending, TCI_WORK_QUEUE);
    assert_int_equal(tci_pending_take(&pending, TCI_WORK), TCI_WORK_QUEUE);
    tci_pending_add(&pending, TCI_WORK_QUEUE);
    tci_pending_add(&pending, TCI_WORK_STATE);
    assert_int_equal(tci_pending_take(&pending, TCI_WORK), TCI_WORK_QUEUE | TCI_WORK_STATE);
}

static void taking_some_leaves_the_others(void **state)
{
    tci_pending pending = {0};
    tci_pending_add(&pending, TCI_POLL_UCX);
    tci_pending_add(&pending, TCI_RUNNING);
    tci_pending_add(&pending, TCI_WORK_REPLY);
    tci_pending_add(&pending, TCI_WORK_STATE);
    assert_int_equal(tci_pending_take(&pending, TCI_WORK_STATE), TCI_WORK_STATE);
    assert_true(tci_pending_has(&pending, TCI_WORK_REPLY));
    assert_int_equal(tci_pending_take(&pending, TCI_WORK), TCI_WORK_REPLY);
    assert_true(tci_pending_has(&pending, TCI_POLL_UCX));
    assert_true(tci_pending_has(&pending, TCI_BUSY));
}

/* Rule 3: each of the others waits for something that wakes a sleeper. */
static void no_sleep_begins_with_what_nothing_would_wake_for(void **state)
{
    for (size_t i = 0; i < CAUSE_COUNT; i++) {
        tci_pending pending = {0};
        tci_pending_add(&pending, causes[i]);
        const bool at_once = causes[i] == TCI_WORK_GOODBYE || causes[i] == TCI_WORK_HELLO ||
                             causes[i] == TCI_WORK_REPLY || causes[i] == TCI_WORK_STATE;
        assert_int_equal(tci_pending_has(&pending, TCI_WORK_AT_ONCE), at_once);
        assert_int_equal(tci_pending_has(&pending, TCI_WORK_LISTED),
                         causes[i] != TCI_WORK_SERVICE);
    }
}

static void code_of_the_program_within_other_such_code_keeps_it_busy(void **state)
{
    tci_pending pending = {0};
    const unsigned outer = tci_pending_enter(&pending, TCI_RUNNING);
    const unsigned inner = tci_pending_enter(&pending, TCI_RUNNING);
    tci_pending_add(&pending, TCI_WORK_QUEUE);
    tci_pending_leave(&pending, TCI_RUNNING, inner);
    assert_true(tci_pending_has(&pending, TCI_BUSY));
    tci_pending_leave(&pending, TCI_RUNNING, outer);
    assert_false(tci_pending_has(&pending, TCI_BUSY));
    assert_true(tci_pending_has(&pending, TCI_WORK_QUEUE));
}

static void making_a_payload_within_a_function_ends_alone(void **state)
{
    tci_pending pending = {0};
    const unsigned outer = tci_pending_enter(&pending, TCI_RUNNING);
    const unsigned inner = tci_pending_enter(&pending, TCI_BUILDING);
    assert_int_equal(inner, 0);
    tci_pending_leave(&pending, TCI_BUILDING, inner);
    assert_true(tci_pending_has(&pending, TCI_RUNNING));
    assert_false(tci_pending_has(&pending, TCI_BUILDING));
    tci_pending_leave(&pending, TCI_RUNNING, outer);
    assert_false(tci_pending_has(&pending, TCI_BUSY));
}

static void polling_is_set_and_cleared_and_is_no_work(void **state)
{
    tci_pending pending = {0};
    tci_pending_set(&pending, TCI_POLL_UCX, true);
    assert_int_not_equal(pending.causes, 0);
    assert_false(tci_pending_has(&pending, TCI_WORK));
    tci_pending_set(&pending, TCI_POLL_UCX, false);
    assert_int_equal(pending.causes, 0);
}

static void an_event_is_activity_too(void **state)
{
    tci_pending pending = {0};
    tci_pending_note_event(&pending);
    assert_true(pending.event);
    assert_true(pending.activity);
    assert_int_equal(pending.causes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_cause_is_work_and_is_taken_once),
        cmocka_unit_test(what_is_added_after_the_taking_stays),
        cmocka_unit_test(taking_some_leaves_the_others),
        cmocka_unit_test(no_sleep_begins_with_what_nothing_would_wake_for),
        cmocka_unit_test(code_of_the_program_within_other_such_code_keeps_it_busy),
        cmocka_unit_test(making_a_payload_within_a_function_ends_alone),
        cmocka_unit_test(polling_is_set_and_cleared_and_is_no_work),
        cmocka_unit_test(an_event_is_activity_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
