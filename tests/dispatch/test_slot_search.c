/* The slots that hold a function: one is found without a walk, several by one. far receives. */
#include "../support/counted_pair.h"
#include "dispatch/slot_search.h"

static fake_pair second;

static void open_two(void)
{
    counted_pair_open(FAKE_MAPPED);
    fake_pair_add(&second, &pair);
}

static tc_ifunc *there(void)
{
    return tci_registry_find(&pair.far->core.registry, &fn->id);
}

static void send_by_second(void)
{
    assert_ok(tc_send(second.ep, fake_node_function(second.near, "run", run), NULL, 0));
    fake_pair_settle(&second);
}

static void evict(void)
{
    tc_ifunc *function = there();
    tci_registry_evict(function);
    assert_null(there());
}

TEST(the_only_slot_is_known)
{
    open_two();
    assert_ok(counted_pair_send(fn));
    assert_ptr_equal(tci_slot_search_only(&pair.far->core, there()), pair.peer);
    assert_true(tci_slot_search_is_called(&pair.far->core, there()));
    evict();
    assert_ok(counted_pair_send(fn));
    assert_ptr_equal(tci_slot_search_only(&pair.far->core, there()), pair.peer);
    assert_int_equal(runs, 2);
    fake_pair_remove(&second);
    fake_pair_close(&pair);
}

TEST(a_function_in_slots_of_two_peers_leaves_both)
{
    open_two();
    assert_ok(counted_pair_send(fn));
    send_by_second();
    assert_int_equal(there()->bound, 2);
    assert_null(tci_slot_search_only(&pair.far->core, there()));
    evict();
    assert_ok(counted_pair_send(fn));
    send_by_second();
    assert_int_equal(runs, 4);
    assert_int_equal(pair.far->evicted, 1);
    fake_pair_remove(&second);
    fake_pair_close(&pair);
}

/* The peer that was bound last has gone, and the other slot is not known. */
TEST(a_slot_that_is_not_known_is_found_by_a_walk)
{
    open_two();
    assert_ok(counted_pair_send(fn));
    send_by_second();
    fake_pair_remove(&second);
    assert_int_equal(there()->bound, 1);
    assert_null(tci_slot_search_only(&pair.far->core, there()));
    evict();
    assert_ok(counted_pair_send(fn));
    assert_int_equal(runs, 3);
    fake_pair_close(&pair);
}
