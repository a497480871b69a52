/* When a function is worth better code: called often, or running for long. Running is the
 * processor's time, so that a busy machine changes nothing here. */
#include "../support/fake_node.h"
#include "base/clock.h"
#include "ifunc/call_count.h"
#include "ifunc/ifunc_load.h"

static fake_node *node;
static unsigned runs;
static uint64_t work_ns; /* that a call runs for */

static uint64_t processor_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * TCI_NS_PER_S + (uint64_t)now.tv_nsec;
}

static void work(void *payload, size_t size, void *target_args)
{
    (void)payload, (void)size, (void)target_args;
    runs++;
    if (work_ns == 0)
        return;
    for (uint64_t end_ns = processor_ns() + work_ns; processor_ns() < end_ns;)
        continue;
}

static void rest(void *payload, size_t size, void *target_args)
{
    const struct timespec pause = {.tv_nsec = TCI_NS_PER_MS};
    (void)payload, (void)size, (void)target_args;
    runs++;
    (void)nanosleep(&pause, NULL);
}

static int make(void **state)
{
    node = fake_node_create();
    node->core.options.tier_calls = 1000;
    node->core.options.tier_time = 10 * TCI_NS_PER_MS;
    runs = 0;
    work_ns = 0;
    return 0;
}

static int end(void **state)
{
    fake_node_destroy(node);
    fake_engine_reset();
    return 0;
}

static tc_ifunc *function(void (*main)(void *, size_t, void *))
{
    tc_ifunc *fn = fake_node_function(node, "one", main);
    fake_code_of("one")->may_improve = true;
    fake_code_of("one")->better.main = work;
    return fn;
}

static void load(tc_ifunc *fn)
{
    tc_error error;
    assert_ok(tci_ifunc_load(fn, &error));
}

static void call(tc_ifunc *fn, unsigned times)
{
    for (unsigned i = 0; i < times; i++)
        tci_call_count_run(fn, NULL, 0, NULL);
}

static bool is_asked_for(const tc_ifunc *fn)
{
    return fn->job != NULL;
}

TEST_WITH(many_short_calls_are_worth_it_at_their_count, make, end)
{
    tc_ifunc *fn = function(work);
    load(fn);
    call(fn, 999);
    assert_false(is_asked_for(fn));
    call(fn, 1);
    assert_true(is_asked_for(fn));
    assert_int_equal(runs, 1000);
    /* Once a function is known to be short, few of its calls are timed. */
    assert_in_range(fn->count.timed, 1000 / 32, 1000 / 8);
}

TEST_WITH(any_count_can_be_asked_for, make, end)
{
    for (unsigned calls = 1; calls < 100; calls++) {
        node->core.options.tier_calls = calls;
        tc_ifunc *fn = function(work);
        load(fn);
        call(fn, calls - 1);
        assert_false(is_asked_for(fn));
        call(fn, 1);
        assert_true(is_asked_for(fn));
        (void)end(state);
        (void)make(state);
    }
}

TEST_WITH(few_long_calls_are_worth_it, make, end)
{
    tc_ifunc *fn = function(work);
    load(fn);
    work_ns = 4 * TCI_NS_PER_MS;
    call(fn, 2); /* the first is not taken at its word, and one is not enough */
    assert_false(is_asked_for(fn));
    call(fn, 8);
    assert_true(is_asked_for(fn));
    assert_int_equal(runs, 10);
}

TEST_WITH(calls_that_become_long_are_noticed, make, end)
{
    tc_ifunc *fn = function(work);
    load(fn);
    call(fn, 500);
    assert_false(is_asked_for(fn));
    work_ns = 2 * TCI_NS_PER_MS;
    call(fn, 32 + 8);
    assert_true(is_asked_for(fn));
}

TEST_WITH(to_wait_is_not_to_run, make, end)
{
    tc_ifunc *fn = function(rest);
    load(fn);
    call(fn, 40);
    assert_false(is_asked_for(fn));
    assert_int_equal(runs, 40);
}

TEST_WITH(an_image_has_more_time_and_more_calls, make, end)
{
    tc_ifunc *fn = function(work);
    fake_code_of("one")->is_image = true;
    load(fn);
    work_ns = 2 * TCI_NS_PER_MS;
    call(fn, 1 + 10);
    assert_false(is_asked_for(fn)); /* 20 ms of 100 */
    work_ns = 20 * TCI_NS_PER_MS;
    call(fn, 8);
    assert_true(is_asked_for(fn));
}

TEST_WITH(calls_alone_may_count, make, end)
{
    node->core.options.tier_time = 0;
    tc_ifunc *fn = function(work);
    load(fn);
    work_ns = 2 * TCI_NS_PER_MS;
    call(fn, 20);
    assert_false(is_asked_for(fn));
    assert_int_equal(fn->count.timed, 0);
    work_ns = 0;
    call(fn, 980);
    assert_true(is_asked_for(fn));
}

/* Code that stays unchanged, and better code itself. */
TEST_WITH(code_that_stays_is_not_timed, make, end)
{
    tc_ifunc *fn = function(work);
    fake_code_of("one")->may_improve = false;
    load(fn);
    work_ns = 20 * TCI_NS_PER_MS;
    call(fn, 3);
    assert_false(is_asked_for(fn));
    assert_int_equal(fn->count.timed, 0);
}

TEST_WITH(better_code_is_not_timed, make, end)
{
    tc_ifunc *fn = function(rest);
    node->core.options.tier_calls = 1;
    load(fn);
    call(fn, 1);
    fake_engine_end_loads();
    tci_registry_take_finished(&node->core.registry);
    assert_ptr_equal(fn->entry.main, work);
    work_ns = 20 * TCI_NS_PER_MS;
    call(fn, 3);
    assert_false(is_asked_for(fn));
    assert_int_equal(fn->count.timed, 0);
}

/* Those that have not been called since the last look leave first. */
TEST_WITH(whoever_is_called_stays, make, end)
{
    tc_error error;
    tc_ifunc *busy = function(work), *idle = fake_node_function(node, "two", work);
    fake_code_of("two")->may_improve = true;
    load(busy);
    load(idle);
    work_ns = TCI_NS_PER_MS / 2; /* so that each call is timed */
    node->core.options.code_memory_max = 4 * 4096;
    for (int look = 0; look < 3; look++) {
        call(busy, 3);
        assert_ok(tci_registry_trim(&node->core.registry, NULL, &error));
    }
    node->core.options.code_memory_max = 6000;
    call(busy, 1);
    assert_ok(tci_registry_trim(&node->core.registry, NULL, &error));
    assert_int_equal(busy->state, TCI_LOADED);
    assert_int_equal(idle->state, TCI_NOT_LOADED);
}
