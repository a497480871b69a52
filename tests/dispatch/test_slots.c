/* Meanings of the numbers in a peer's frames: bound, callable, left, refused. far receives. */
#include "../support/counted_pair.h"
#include "dispatch/slots.h"
#include "endpoint/wakeup.h"
#include "transfer/frame_out.h"

static unsigned other_runs;

static void run_other(void *payload, size_t size, void *target_args)
{
    (void)payload, (void)size, (void)target_args;
    other_runs++;
}

static void open_pair(void)
{
    counted_pair_open(FAKE_MAPPED);
    other_runs = 0;
}

static void on_pair(void (*test)(void))
{
    open_pair();
    test();
    fake_pair_close(&pair);
}

#define PAIR_TEST(name) TEST_BY(on_pair, name, void)

PAIR_TEST(code_comes_once_and_is_called_from_then_on)
{
    for (int i = 0; i < 5; i++)
        assert_ok(counted_pair_send(fn));
    assert_int_equal(runs, 5);
    assert_int_equal(pair.far->core.counters[TCI_CODE_RECEIVED], 1);
    assert_int_equal(fake_code_of("run")->loaded, 1);
}

/* By two peers, or by one again: the target's registry goes by content. */
PAIR_TEST(code_that_is_known_by_its_content_is_not_asked_for)
{
    pair.near->core.options.code_push = 0;
    tc_ifunc *there = fake_node_function(pair.far, "run", run);
    assert_ok(counted_pair_send(fn));
    assert_int_equal(runs, 1);
    assert_int_equal(pair.far->core.counters[TCI_CODE_RECEIVED], 0);
    assert_int_equal(there->references, 2); /* the handle, and the slot */
}

PAIR_TEST(code_that_does_not_come_along_is_asked_for)
{
    pair.near->core.options.code_push = 0;
    for (int i = 0; i < 3; i++)
        assert_ok(counted_pair_send(fn));
    assert_int_equal(runs, 3);
    assert_int_equal(fake_outbox_count(&pair.ep->link->sent, TCI_AM_CODE), 1);
}

PAIR_TEST(a_function_that_is_being_loaded_holds_up_its_own_endpoint_alone)
{
    fake_code_of("run")->is_slow = true;
    assert_ok(counted_pair_send(fn));
    assert_ok(counted_pair_send(fn));
    assert_int_equal(runs, 0);
    fake_engine_end_loads();
    tci_registry_take_finished(&pair.far->core.registry);
    fake_pair_settle(&pair);
    assert_int_equal(runs, 2);
}

static bool sleeps(tc_ep *ep)
{
    tci_armed armed = {0};
    tci_wakeup_arm(ep, &armed);
    const bool has_work = tci_wakeup_finds_work(ep);
    tci_wakeup_disarm(ep);
    return !has_work;
}

/* Housekeeping may take a load that has ended since the ring was polled. */
PAIR_TEST(no_sleep_begins_before_a_frame_whose_function_has_loaded)
{
    fake_code_of("run")->is_slow = true;
    assert_ok(counted_pair_send(fn));
    assert_true(sleeps(pair.peer));
    fake_engine_end_loads();
    tci_registry_take_finished(&pair.far->core.registry);
    assert_false(sleeps(pair.peer));
    fake_pair_settle(&pair);
    assert_int_equal(runs, 1);
}

PAIR_TEST(a_function_that_does_not_load_is_refused_once)
{
    fake_code_of("run")->fails = TC_E_UNRESOLVED;
    assert_ok(tc_send(pair.ep, fn, NULL, 0));
    assert_ok(tc_send(pair.ep, fn, NULL, 0));
    fake_pair_settle(&pair);
    counted_pair_expect_refused(1, TC_E_UNRESOLVED, "run: does not load");
    assert_status(counted_pair_send(fn), TC_E_REFUSED);
    assert_int_equal(pair.far->core.counters[TCI_MESSAGES_DROPPED], 2);
    assert_int_equal(pair.far->core.counters[TCI_CODE_REFUSED], 1);
    tc_ifunc *other = fake_node_function(pair.near, "other", run_other);
    assert_ok(counted_pair_send(other));
    assert_int_equal(other_runs, 1);
}

PAIR_TEST(damaged_code_is_refused)
{
    uint8_t *code = (uint8_t *)(uintptr_t)fn->code;
    code[fn->code_bytes - 1] ^= 1; /* on its way */
    assert_ok(counted_pair_send(fn));
    counted_pair_expect_refused(1, TC_E_CORRUPT, "code has id");
    code[fn->code_bytes - 1] ^= 1;
}

PAIR_TEST(code_beyond_the_limit_is_refused_before_it_comes)
{
    fake_code_of("large")->entries.main = run;
    tc_ifunc *large = fake_function(&pair.near->core.registry, "large", TCI_ENTRY_MAIN, 20000);
    pair.far->core.options.code_bytes_max = 10000;
    assert_ok(counted_pair_send(large));
    counted_pair_expect_refused(1, TC_E_TOO_LARGE, "option code_bytes_max is 10000");
    assert_int_equal(fake_outbox_count(&pair.ep->link->sent, TCI_AM_CODE), 0);
}

/* A peer may give one number to another function. */
PAIR_TEST(a_slot_may_be_bound_anew)
{
    tc_error error = {0};
    tc_ifunc *other = fake_node_function(pair.far, "other", run_other);
    assert_ok(counted_pair_send(fn));
    tci_code_section section;
    tci_code_section_decode(other->code, &section);
    assert_ok(tci_slot_bind(pair.peer, fn->index, NULL, &section, &error));
    assert_ok(counted_pair_send(fn));
    assert_int_equal(runs, 1);
    assert_int_equal(other_runs, 1);
    assert_int_equal(other->references, 2);
}

PAIR_TEST(a_slot_that_was_never_bound_is_found_out)
{
    tc_error error = {0};
    tci_code_section section;
    tci_code_section_decode(fn->code, &section);
    assert_ok(
        tci_slot_bind(pair.peer, 40, fn->code + TCI_CODE_SECTION_BYTES, &section, &error));
    assert_ok(tci_slot_ready(pair.peer, 40, &error));
    assert_status(tci_slot_ready(pair.peer, 39, &error), TC_E_NOT_FOUND);
    assert_non_null(strstr(error.text, "slot 39"));
    assert_ok(tci_slot_bind(pair.peer, UINT16_MAX, fn->code + TCI_CODE_SECTION_BYTES, &section,
                            &error)); /* whatever number a peer likes */
}

/* --- leaving ------------------------------------------------------------------------------ */

PAIR_TEST(code_that_left_to_make_room_comes_again_with_its_next_call)
{
    tc_ifunc *other = fake_node_function(pair.near, "other", run_other);
    pair.far->core.options.code_memory_max = 6000;
    assert_ok(counted_pair_send(fn));
    assert_ok(counted_pair_send(other)); /* 4096 bytes each */
    assert_int_equal(pair.far->core.counters[TCI_CODE_EVICTED], 1);
    assert_int_equal(fake_code_of("run")->loaded, 0);
    for (int i = 0; i < 3; i++) {
        assert_ok(counted_pair_send(fn));
        assert_ok(counted_pair_send(other));
    }
    assert_int_equal(runs, 4);
    assert_int_equal(other_runs, 4);
    assert_true(pair.far->core.registry.code_memory <= 6000);
    counted_pair_expect_refused(0, TC_OK, "");
}

PAIR_TEST(a_function_that_never_fits_is_refused)
{
    pair.far->core.options.code_memory_max = 1000;
    assert_ok(counted_pair_send(fn));
    counted_pair_expect_refused(1, TC_E_TOO_LARGE, "option code_memory_max is 1000");
    assert_int_equal(runs, 0);
}

PAIR_TEST(a_refusal_for_want_of_memory_holds_for_one_message)
{
    fake_code_of("run")->fails = TC_E_NO_MEMORY;
    assert_ok(counted_pair_send(fn));
    counted_pair_expect_refused(1, TC_E_NO_MEMORY, "run");
    fake_code_of("run")->fails = TC_OK;
    assert_ok(counted_pair_send(fn));
    assert_ok(counted_pair_send(fn));
    assert_int_equal(runs, 2);
}

PAIR_TEST(functions_that_only_slots_hold_leave_for_others)
{
    tc_ifunc *other = fake_node_function(pair.near, "other", run_other);
    pair.far->core.options.functions_max = 1;
    for (int i = 0; i < 3; i++) {
        assert_ok(counted_pair_send(fn));
        assert_ok(counted_pair_send(other));
    }
    assert_int_equal(runs, 3);
    assert_int_equal(other_runs, 3);
    counted_pair_expect_refused(0, TC_OK, "");
    fake_code_of("other")->has_state = true; /* its variables would be lost */
    assert_ok(counted_pair_send(fn));
    fake_pair_settle(&pair);
    counted_pair_expect_refused(1, TC_E_TOO_LARGE, "option functions_max");
}

/* It was within the bound when it came. */
PAIR_TEST(a_function_that_one_peer_calls_stays_when_another_sends_it)
{
    fake_pair second;
    fake_pair_add(&second, &pair);
    assert_ok(counted_pair_send(fn));
    pair.far->core.options.code_memory_max = 1000;
    tc_ifunc *same = fake_node_function(second.near, "run", run);
    assert_ok(tc_send(second.ep, same, NULL, 0));
    fake_pair_settle(&second);
    assert_ok(counted_pair_send(fn));
    assert_int_equal(runs, 3);
    counted_pair_expect_refused(0, TC_OK, "");
    fake_pair_remove(&second);
}

/* --- announcing --------------------------------------------------------------------------- */

static void prepare(void)
{
    const tci_outgoing out = {.fn = fn, .built = true, .kind = TCI_OUT_PREPARE};
    pair.ep->tx.preparing = fn->index;
    assert_ok(tci_frame_out_message(pair.ep, &out));
    fake_pair_settle(&pair);
}

PAIR_TEST(a_prepared_function_is_told_of_at_once)
{
    prepare();
    assert_int_equal(pair.ep->tx.preparing, TCI_PREPARING_NONE);
    assert_int_equal(runs, 0);
}

PAIR_TEST(one_that_loads_slowly_is_told_of_when_it_has_and_others_run_meanwhile)
{
    fake_code_of("run")->is_slow = true;
    tc_ifunc *other = fake_node_function(pair.near, "other", run_other);
    prepare();
    assert_int_equal(pair.ep->tx.preparing, fn->index);
    assert_ok(counted_pair_send(other));
    assert_int_equal(other_runs, 1); /* on the same endpoint, behind it */
    fake_engine_end_loads();
    tci_registry_take_finished(&pair.far->core.registry);
    fake_pair_settle(&pair);
    assert_int_equal(pair.ep->tx.preparing, TCI_PREPARING_NONE);
    assert_ok(counted_pair_send(fn));
    assert_int_equal(runs, 1);
}

PAIR_TEST(one_that_fails_to_load_is_told_of_as_a_refusal)
{
    fake_code_of("run")->is_slow = true;
    prepare();
    fake_code_of("run")->fails = TC_E_COMPILE;
    fake_engine_end_loads();
    tci_registry_take_finished(&pair.far->core.registry);
    fake_pair_settle(&pair);
    assert_int_equal(pair.ep->tx.preparing, TCI_PREPARING_NONE);
    counted_pair_expect_refused(1, TC_E_COMPILE, "run: does not load");
}

PAIR_TEST(better_code_is_called_from_then_on)
{
    pair.far->core.options.tier_calls = 3;
    fake_code_of("run")->may_improve = true;
    fake_code_of("run")->better.main = run_other;
    for (int i = 0; i < 4; i++)
        assert_ok(counted_pair_send(fn));
    assert_int_equal(runs, 4);
    fake_engine_end_loads();
    tci_registry_take_finished(&pair.far->core.registry);
    for (int i = 0; i < 4; i++)
        assert_ok(counted_pair_send(fn));
    assert_int_equal(runs, 4);
    assert_int_equal(other_runs, 4);
}
