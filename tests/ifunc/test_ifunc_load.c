/* How functions become callable, get better code, and are evicted to free memory. The engine is
 * the test's. */
#include "../support/fake_node.h"
#include "ifunc/ifunc_load.h"

#include <tc/advanced.h>

static void run_better(void *payload, size_t size, void *target_args)
{
    (void)payload, (void)size, (void)target_args;
}

static fake_node *node;
static tci_registry *registry;

static int make(void **state)
{
    node = fake_node_create();
    registry = &node->core.registry;
    return 0;
}

static int end(void **state)
{
    fake_node_destroy(node);
    fake_engine_reset();
    return 0;
}

static tc_ifunc *function(const char *name)
{
    return fake_node_function(node, name, fake_nothing);
}

/* --- loading ------------------------------------------------------------------------------ */

TEST_WITH(a_function_is_loaded_once, make, end)
{
    tc_ifunc *fn = function("one");
    tc_error error;
    assert_ok(tci_ifunc_load(fn, &error));
    assert_ok(tci_ifunc_load(fn, &error));
    assert_ok(tci_ifunc_load_soon(fn, &error));
    assert_ptr_equal(fn->entry.main, fake_nothing);
    assert_int_equal(fake_code_of("one")->loaded, 1);
}

TEST_WITH(one_that_takes_long_is_loaded_by_a_thread, make, end)
{
    tc_ifunc *fn = function("one");
    tc_error error;
    fake_code_of("one")->is_slow = true;
    assert_status(tci_ifunc_load_soon(fn, &error), TC_E_AGAIN);
    assert_status(tci_ifunc_load_soon(fn, &error), TC_E_AGAIN);
    tci_registry_take_finished(registry);
    assert_null(fn->entry.main);
    fake_engine_end_loads();
    tci_registry_take_finished(registry);
    assert_int_equal(node->changed, 1);
    assert_ok(tci_ifunc_load_soon(fn, &error));
    assert_ptr_equal(fn->entry.main, fake_nothing);
}

TEST_WITH(who_cannot_wait_for_the_thread_does_so_itself, make, end)
{
    tc_ifunc *fn = function("one");
    tc_error error;
    fake_code_of("one")->is_slow = true;
    assert_status(tci_ifunc_load_soon(fn, &error), TC_E_AGAIN);
    assert_ok(tci_ifunc_load(fn, &error));
    assert_int_equal(node->changed, 1); /* endpoints that wait for it are notified */
    assert_null(registry->jobs);
}

TEST_WITH(a_failure_is_remembered, make, end)
{
    tc_ifunc *fn = function("one");
    tc_error error = {0};
    fake_code_of("one")->fails = TC_E_UNRESOLVED;
    assert_status(tci_ifunc_load(fn, &error), TC_E_UNRESOLVED);
    fake_code_of("one")->fails = TC_OK;
    memset(&error, 0, sizeof error);
    assert_status(tci_ifunc_load_soon(fn, &error), TC_E_UNRESOLVED);
    assert_string_equal(error.text, "one: does not load");
}

TEST_WITH(a_shortage_is_not_remembered, make, end)
{
    tc_ifunc *fn = function("one");
    tc_error error = {0};
    fake_code_of("one")->fails = TC_E_NO_MEMORY;
    assert_status(tci_ifunc_load(fn, &error), TC_E_NO_MEMORY);
    assert_status(tci_ifunc_load_soon(fn, &error), TC_E_NO_MEMORY);
    fake_code_of("one")->is_slow = true;
    assert_status(tci_ifunc_load_soon(fn, &error), TC_E_AGAIN);
    fake_engine_end_loads();
    tci_registry_take_finished(registry);
    assert_status(tci_ifunc_load_soon(fn, &error), TC_E_NO_MEMORY); /* waiters get it */
    fake_code_of("one")->fails = TC_OK;
    fake_code_of("one")->is_slow = false;
    assert_ok(tci_ifunc_load_soon(fn, &error));
}

TEST_WITH(a_load_that_nobody_waits_for_any_more_ends_with_its_function, make, end)
{
    tc_ifunc *fn = function("one");
    tc_error error;
    fake_code_of("one")->is_slow = true;
    assert_status(tci_ifunc_load_soon(fn, &error), TC_E_AGAIN);
    assert_int_equal(fake_code_of("one")->loaded, 0); /* the end of the test looks for jobs */
}

/* --- better code
 * ------------------------------------------------------------------------------ */

TEST_WITH(what_is_called_often_gets_better_code_once, make, end)
{
    tc_ifunc *fn = function("one");
    tc_error error;
    fake_code_of("one")->may_improve = true;
    fake_code_of("one")->better.main = run_better;
    assert_ok(tci_ifunc_load(fn, &error));
    tci_ifunc_load_tier_up(fn);
    assert_ptr_equal(fn->entry.main, fake_nothing); /* meanwhile */
    tci_ifunc_load_tier_up(fn);
    fake_engine_end_loads();
    tci_registry_take_finished(registry);
    assert_ptr_equal(fn->entry.main, run_better);
    assert_int_equal(node->changed, 1);
    assert_null(registry->jobs);
}

TEST_WITH(better_code_that_fails_leaves_the_old, make, end)
{
    tc_ifunc *fn = function("one");
    tc_error error;
    fake_code_of("one")->may_improve = true;
    assert_ok(tci_ifunc_load(fn, &error));
    tci_ifunc_load_tier_up(fn);
    fake_code_of("one")->fails = TC_E_COMPILE;
    fake_engine_end_loads();
    tci_registry_take_finished(registry);
    assert_ptr_equal(fn->entry.main, fake_nothing);
    assert_int_equal(node->changed, 0);
    assert_ok(tci_ifunc_load(fn, &error));
}

TEST_WITH(what_cannot_become_better_is_not_tried, make, end)
{
    tc_ifunc *fn = function("one");
    tc_error error;
    assert_ok(tci_ifunc_load(fn, &error));
    tci_ifunc_load_tier_up(fn);
    assert_null(registry->jobs);
    tc_ifunc *idle = function("two");
    tci_ifunc_load_tier_up(idle); /* not loaded at all */
    assert_null(registry->jobs);
}

/* --- freeing memory
 * --------------------------------------------------------------------------- */

/* Three functions that are loaded, of 4096 bytes each and their archives. */
static void load_three(tc_ifunc *fns[3])
{
    static const char *const names[] = {"f0", "f1", "f2"};
    tc_error error;
    for (size_t i = 0; i < 3; i++) {
        fns[i] = function(names[i]);
        assert_ok(tci_ifunc_load(fns[i], &error));
    }
}

static bool is_loaded(const tc_ifunc *fn)
{
    return fn->state == TCI_LOADED;
}

TEST_WITH(within_the_limit_all_stay, make, end)
{
    tc_ifunc *fns[3];
    tc_error error;
    load_three(fns);
    assert_in_range(registry->code_memory, 3 * 4096, 4 * 4096);
    assert_ok(tci_registry_trim(registry, NULL, &error));
    assert_int_equal(node->evicted, 0);
}

TEST_WITH(the_one_that_was_not_called_for_longest_leaves_first, make, end)
{
    tc_ifunc *fns[3];
    tc_error error;
    load_three(fns);
    node->core.options.code_memory_max = 3 * 4096;
    fns[0]->calls_left--; /* was called */
    assert_ok(tci_registry_trim(registry, NULL, &error));
    assert_int_equal(node->evicted, 1);
    assert_true(is_loaded(fns[0]));
    assert_false(is_loaded(fns[1]));
    assert_null(fns[1]->entry.main);
    assert_true(is_loaded(fns[2]));
    assert_ok(tci_ifunc_load(fns[1], &error)); /* when it is called again */
}

TEST_WITH(when_all_were_called_the_one_that_was_used_first_leaves, make, end)
{
    tc_ifunc *fns[3];
    tc_error error;
    load_three(fns);
    tci_registry_retain(fns[0]);
    tci_registry_release(fns[0]); /* used now */
    for (size_t i = 0; i < 3; i++)
        fns[i]->calls_left--;
    node->core.options.code_memory_max = 3 * 4096;
    assert_ok(tci_registry_trim(registry, NULL, &error));
    assert_false(is_loaded(fns[1]));
    node->core.options.code_memory_max = 2 * 4096;
    assert_ok(tci_registry_trim(registry, NULL, &error));
    assert_false(is_loaded(fns[2]));
    assert_true(is_loaded(fns[0]));
    assert_int_equal(node->evicted, 2);
}

TEST_WITH(the_one_that_makes_room_for_itself_stays, make, end)
{
    tc_ifunc *fns[3];
    tc_error error;
    load_three(fns);
    node->core.options.code_memory_max = 2 * 4096;
    assert_ok(tci_registry_trim(registry, fns[0], &error));
    assert_true(is_loaded(fns[0]));
    assert_false(is_loaded(fns[1]));
    assert_false(is_loaded(fns[2]));
    node->core.options.code_memory_max = 1000;
    assert_status(tci_registry_trim(registry, fns[0], &error), TC_E_TOO_LARGE);
    assert_non_null(strstr(error.text, "option code_memory_max is 1000"));
}

TEST_WITH(functions_with_variables_of_their_own_stay, make, end)
{
    tc_ifunc *fns[3];
    tc_error error;
    load_three(fns);
    fake_code_of("f0")->has_state = true;
    node->core.options.code_memory_max = 1000;
    assert_status(tci_registry_trim(registry, NULL, &error), TC_E_TOO_LARGE);
    assert_true(is_loaded(fns[0]));
    assert_false(is_loaded(fns[1]));
    assert_false(is_loaded(fns[2]));
}

/* A little too much until a peer has run its messages. */
TEST_WITH(variables_that_nobody_holds_stay_no_longer, make, end)
{
    tc_ifunc *fns[3];
    tc_error error;
    load_three(fns);
    fake_code_of("f0")->has_state = true;
    tci_registry_release(fns[0]);
    node->core.options.code_memory_max = 3 * 4096;
    assert_ok(tci_registry_trim(registry, fns[2], &error));
    assert_int_equal(fake_code_of("f0")->loaded + fake_code_of("f1")->loaded, 1);
    node->core.options.code_memory_max = 2 * 4096;
    assert_ok(tci_registry_trim(registry, fns[2], &error));
    assert_int_equal(fake_code_of("f0")->loaded, 0);
    assert_true(is_loaded(fns[2]));
}

/* It is not called yet, so no other check would find that it is too large. */
TEST_WITH(code_that_was_sent_ahead_and_does_not_fit_is_given_up_itself, make, end)
{
    tc_error error = {0};
    tc_ifunc *large = function("large"), *other = function("other");
    fake_code_of("large")->is_slow = true;
    fake_code_of("large")->has_state = true;
    fake_code_of("large")->memory = 100000;
    node->core.options.code_memory_max = 3 * 4096;
    assert_status(tci_ifunc_load_soon(large, &error), TC_E_AGAIN);
    fake_engine_end_loads();
    tci_registry_take_finished(registry);
    assert_int_equal(node->changed, 1);
    assert_int_equal(registry->code_memory, 0);
    assert_status(tci_ifunc_load_soon(large, &error), TC_E_TOO_LARGE);
    assert_ok(tci_ifunc_load(other, &error));
    assert_ok(tci_registry_trim(registry, other, &error));
    assert_true(is_loaded(other));
}

TEST_WITH(one_that_finds_no_room_beside_others_may_try_again, make, end)
{
    tc_error error = {0};
    tc_ifunc *first = function("first"), *second = function("second");
    fake_code_of("first")->has_state = true;
    node->core.options.code_memory_max = 6000;
    assert_ok(tci_ifunc_load(first, &error));
    fake_code_of("second")->is_slow = true;
    assert_status(tci_ifunc_load_soon(second, &error), TC_E_AGAIN);
    fake_engine_end_loads();
    tci_registry_take_finished(registry);
    assert_true(is_loaded(first));
    assert_status(tci_ifunc_load_soon(second, &error), TC_E_NO_MEMORY);
    assert_non_null(strstr(error.text, "others"));
    tci_registry_release(first);
    assert_ok(tci_ifunc_load(second, &error));
    assert_ok(tci_registry_trim(registry, second, &error));
    assert_int_equal(fake_code_of("first")->loaded, 0);
}

TEST_WITH(what_a_peer_may_ask_for_leaves_later, make, end)
{
    tc_ifunc *fns[3];
    tc_error error;
    load_three(fns);
    node->core.options.code_memory_max = 1000;
    node->code_is_wanted = true;
    assert_ok(tci_registry_trim(registry, NULL, &error));
    assert_int_equal(node->evicted, 0);
    node->code_is_wanted = false;
    assert_ok(tci_registry_trim(registry, NULL, &error));
    assert_int_equal(node->evicted, 3);
    assert_int_equal(registry->code_memory, 0);
}

TEST_WITH(a_function_that_better_code_is_made_for_leaves_later, make, end)
{
    tc_ifunc *fns[3];
    tc_error error;
    load_three(fns);
    fake_code_of("f0")->may_improve = true;
    tci_ifunc_load_tier_up(fns[0]);
    fake_engine_end_loads(); /* begun, and not taken */
    node->core.options.code_memory_max = 1000;
    assert_ok(tci_registry_trim(registry, NULL, &error));
    assert_int_equal(node->evicted, 2);
    assert_true(is_loaded(fns[0]));
    tci_registry_take_finished(registry); /* and trims */
    assert_int_equal(node->evicted, 3);
}

TEST_WITH(what_nobody_holds_leaves_with_its_archive, make, end)
{
    tc_ifunc *fns[3];
    tc_error error;
    load_three(fns);
    const tci_content_id id = fns[0]->id;
    tci_registry_release(fns[0]);
    node->core.options.code_memory_max = 1000;
    assert_ok(tci_registry_trim(registry, NULL, &error));
    assert_null(tci_registry_find(registry, &id));
    assert_int_equal(registry->count, 2);
}

TEST_WITH(code_of_the_process_itself_never_leaves, make, end)
{
    tc_error error;
    tc_ifunc *fn = function("one");
    assert_ok(tc_ifunc_use_local(fn, run_better, NULL));
    assert_status(tc_ifunc_use_local(fn, fake_nothing, NULL), TC_E_INVALID);
    node->core.options.code_memory_max = 0;
    assert_ok(tci_registry_trim(registry, NULL, &error));
    assert_ok(tci_ifunc_load(fn, &error));
    assert_ptr_equal(fn->entry.main, run_better);
    assert_int_equal(fake_code_of("one")->loaded, 0);
}

TEST_WITH(a_function_that_is_given_up_is_refused_from_then_on, make, end)
{
    static const tc_error full = {TC_E_TOO_LARGE, "one: no room"};
    tc_error error = {0};
    tc_ifunc *fn = function("one");
    assert_ok(tci_ifunc_load(fn, &error));
    tci_ifunc_load_refuse(fn, &full);
    assert_int_equal(fake_code_of("one")->loaded, 0);
    assert_int_equal(registry->code_memory, 0);
    assert_status(tci_ifunc_load(fn, &error), TC_E_TOO_LARGE);
    assert_string_equal(error.text, "one: no room");
}
