/* Slots and memory that one peer's functions leave to those of others. far receives. */
#include "../support/counted_pair.h"
#include "transfer/frame_out.h"

TEST(one_peer_leaves_places_to_others)
{
    fake_pair second;
    char name[16];
    counted_pair_open(FAKE_MAPPED);
    fake_pair_add(&second, &pair);
    pair.far->core.options.functions_max = 8;
    for (int i = 0; i < 8; i++) {
        (void)snprintf(name, sizeof name, "f%d", i);
        tc_ifunc *mine = fake_node_function(pair.near, name, run);
        fake_code_of(name)->has_state = true;
        assert_ok(counted_pair_send(mine));
        fake_pair_settle(&pair);
    }
    assert_int_equal(runs, 6);
    counted_pair_expect_refused(
        2, TC_E_TOO_LARGE,
        "7 functions of this peer cannot leave, expected at most 6 of the 8 of "
        "option functions_max");
    tc_ifunc *theirs = fake_node_function(second.near, "theirs", run);
    fake_code_of("theirs")->has_state = true;
    assert_ok(tc_send(second.ep, theirs, NULL, 0));
    fake_pair_settle(&second);
    assert_int_equal(runs, 7);
    fake_pair_remove(&second);
    fake_pair_close(&pair);
}

/* `how_many` functions of 1,000 bytes and more, with variables or without. */
static void send_many(fake_pair *p, const char *first, unsigned how_many, bool has_state)
{
    char name[16];
    for (unsigned i = 0; i < how_many; i++) {
        (void)snprintf(name, sizeof name, "%s%u", first, i);
        tc_ifunc *mine = fake_node_function(p->near, name, run);
        fake_code_of(name)->has_state = has_state;
        fake_code_of(name)->memory = 1000;
        assert_ok(tc_send(p->ep, mine, NULL, 0));
        fake_pair_settle(p);
    }
}

static void expect_run(unsigned least, unsigned most)
{
    if (runs < least || runs > most)
        fail_msg("%u ran, expected %u to %u", runs, least, most);
    runs = 0;
}

/* A peer takes three quarters of the memory that functions of others leave. */
TEST(one_peer_leaves_code_memory_to_others)
{
    fake_pair second, third;
    counted_pair_open(FAKE_MAPPED);
    fake_pair_add(&second, &pair);
    fake_pair_add(&third, &pair);
    pair.far->core.options.code_memory_max = 8000;
    send_many(&pair, "a", 9, true);
    counted_pair_expect_refused(9 - runs, TC_E_TOO_LARGE,
                                "of this peer's functions cannot leave, expected");
    expect_run(4, 6);
    assert_true(pair.far->core.registry.code_memory <= 6000);
    send_many(&second, "b", 1, true);
    expect_run(1, 1);
    send_many(&third, "c", 6, false); /* these leave for one another */
    expect_run(6, 6);
    send_many(&pair, "d", 6, false);
    expect_run(6, 6);
    fake_pair_remove(&third);
    fake_pair_remove(&second);
    fake_pair_close(&pair);
}

static void prepare(void)
{
    const tci_outgoing out = {.fn = fn, .built = true, .kind = TCI_OUT_PREPARE};
    pair.ep->tx.preparing = fn->index;
    assert_ok(tci_frame_out_message(pair.ep, &out));
    fake_pair_settle(&pair);
}

/* It is not called, and it takes memory. */
TEST(what_is_sent_ahead_counts_for_its_peer)
{
    counted_pair_open(FAKE_MAPPED);
    fake_pair second;
    fake_pair_add(&second, &pair);
    pair.far->core.options.code_memory_max = 8000;
    send_many(&second, "b", 1, true);
    send_many(&pair, "a", 2, true);
    for (int i = 0; i < 4; i++) {
        char name[16];
        (void)snprintf(name, sizeof name, "p%d", i);
        fn = fake_node_function(pair.near, name, run);
        fake_code_of(name)->has_state = true;
        fake_code_of(name)->is_slow = true;
        fake_code_of(name)->memory = 1000;
        prepare();
        fake_engine_end_loads();
        tci_registry_take_finished(&pair.far->core.registry);
        fake_pair_settle(&pair);
        assert_int_equal(pair.ep->tx.preparing, TCI_PREPARING_NONE);
    }
    tc_error error;
    assert_true(tc_ep_refusal(pair.ep, &error) > 0);
    assert_status(error.status, TC_E_TOO_LARGE);
    assert_true(pair.far->core.registry.code_memory < 7000);
    fake_pair_remove(&second);
    fake_pair_close(&pair);
}
