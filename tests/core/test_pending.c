/* The causes of pending work, and the rules that keep a wake-up from being lost. */
#include "../support/test.h"
#include "core/pending.h"

static const unsigned causes[] = {TCI_WORK_QUEUE,     TCI_WORK_LINK,   TCI_WORK_GOODBYE,
                                  TCI_WORK_HANDSHAKE, TCI_WORK_HELLO,  TCI_WORK_REPLY,
                                  TCI_WORK_STATE,     TCI_WORK_SERVICE};
#define CAUSE_COUNT (sizeof causes / sizeof causes[0])

TEST(each_cause_is_work_and_is_taken_once)
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

/* Rule 2: housekeeping takes all causes first, so causes added while it works stay. */
TEST(what_is_added_after_the_taking_stays)
{
    tci_pending pending = {0};
    tci_pending_add(&pending, TCI_WORK_QUEUE);
    assert_int_equal(tci_pending_take(&pending, TCI_WORK), TCI_WORK_QUEUE);
    tci_pending_add(&pending, TCI_WORK_QUEUE);
    tci_pending_add(&pending, TCI_WORK_STATE);
    assert_int_equal(tci_pending_take(&pending, TCI_WORK), TCI_WORK_QUEUE | TCI_WORK_STATE);
}

TEST(taking_some_leaves_the_others)
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
TEST(no_sleep_begins_with_what_nothing_would_wake_for)
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

TEST(code_of_the_program_within_other_such_code_keeps_it_busy)
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

TEST(making_a_payload_within_a_function_ends_alone)
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

TEST(polling_is_set_and_cleared_and_is_no_work)
{
    tci_pending pending = {0};
    tci_pending_set(&pending, TCI_POLL_UCX, true);
    assert_int_not_equal(pending.causes, 0);
    assert_false(tci_pending_has(&pending, TCI_WORK));
    tci_pending_set(&pending, TCI_POLL_UCX, false);
    assert_int_equal(pending.causes, 0);
}

TEST(an_event_is_activity_too)
{
    tci_pending pending = {0};
    tci_pending_note_event(&pending);
    assert_true(pending.event);
    assert_true(pending.activity);
    assert_int_equal(pending.causes, 0);
}
