/* Messages that are sent on, up to their limit, and the reports to their origins: near is rank
 * 0, far is rank 1. */
#include "called_pair.h"
#include "core/ep_state.h"
#include "endpoint/ep_life.h"
#include "modules/calls/invocation.h"

#include <tc/entry.h>

/* --- forwarding --------------------------------------------------------------------------- */

static void goes_to_and_fro(void *payload, size_t size, void *target_args)
{
    (void)target_args;
    runs++;
    assert_int_equal(tc_self_origin(), 0);
    assert_int_equal(tc_self_hops(), runs - 1);
    if (runs < 4)
        assert_ok(tc_forward(1 - tc_self_rank(), payload, size));
    else
        assert_ok(tc_reply("done", 4));
}

TEST(a_message_that_travels_is_answered_by_whoever_has_it_last)
{
    join(2);
    call(goes_to_and_fro, 0, 1);
    heard_expect(&answer, TC_OK, "");
    assert_memory_equal(answer.result, "done", 4);
    assert_int_equal(runs, 4);
    assert_int_equal(answer.hops, 3);
    assert_int_equal(answer.rank, 0);
    assert_int_equal(answer.path_length, 3);
    assert_int_equal(answer.path[0], 1);
    assert_int_equal(answer.path[1], 0);
    assert_int_equal(answer.path[2], 1);
    assert_int_equal(pair.far->core.counters[TCI_MESSAGES_FORWARDED], 2);
    assert_int_equal(pair.near->core.counters[TCI_MESSAGES_FORWARDED], 1);
    fake_pair_close(&pair);
}

static void never_ends(void *payload, size_t size, void *target_args)
{
    (void)target_args;
    runs++;
    seen[0] = tc_forward(1 - tc_self_rank(), payload, size);
}

TEST(hops_are_limited_by_the_caller_and_by_each_member)
{
    static const struct {
        uint32_t callers;
        uint64_t members;
        unsigned runs;
    } limits[] = {{5, 100, 6}, {100, 5, 6}, {1, 100, 2}};
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        join(2);
        pair.near->core.options.hop_limit = limits[i].members;
        pair.far->core.options.hop_limit = limits[i].members;
        call(never_ends, limits[i].callers, 0);
        heard_expect(&answer, TC_E_HOPS, "hops, the limit");
        assert_status(seen[0], TC_E_HOPS);
        assert_int_equal(runs, limits[i].runs);
        fake_pair_close(&pair);
    }
}

static void goes_to_nobody(void *payload, size_t size, void *target_args)
{
    (void)target_args;
    seen[0] = tc_forward(7, payload, size);
}

static void knows_another_way(void *payload, size_t size, void *target_args)
{
    goes_to_nobody(payload, size, target_args);
    seen[1] = tc_reply("instead", 7);
}

TEST(a_rank_that_is_none_is_told_to_the_origin_unless_it_is_answered)
{
    join(2);
    call(goes_to_nobody, 0, 0);
    assert_status(seen[0], TC_E_NOT_FOUND);
    heard_expect(&answer, TC_E_NOT_FOUND, "rank 1 could not send it on to rank 7");
    fake_pair_close(&pair);

    join(2);
    call(knows_another_way, 0, 0);
    heard_expect(&answer, TC_OK, "");
    assert_memory_equal(answer.result, "instead", 7);
    fake_pair_close(&pair);
}

TEST(a_plain_message_that_goes_nowhere_is_a_failure_of_the_group)
{
    tc_error error;
    join(2);
    tc_ifunc *fn = fake_node_function(pair.near, "plain", goes_to_nobody);
    assert_ok(tc_send(pair.ep, fn, "x", 1));
    fake_pair_settle(&pair);
    assert_int_equal(tc_group_failures(pair.near->calling.groups.first, &error), 1);
    assert_non_null(strstr(error.text, "rank 1 could not send it on to rank 7"));
    assert_int_equal(tc_group_failures(pair.far->calling.groups.first, NULL), 0);
    fake_pair_close(&pair);
}

TEST(a_message_from_outside_a_group_stays_where_it_is)
{
    fake_pair_open(&pair, FAKE_MAPPED);
    memset(&answer, 0, sizeof answer);
    call(goes_to_nobody, 0, 0);
    assert_status(seen[0], TC_E_UNREACHABLE);
    heard_expect(&answer, TC_E_UNREACHABLE, "it came from outside a group");
    fake_pair_close(&pair);
}

static void goes_to_rank_2(void *payload, size_t size, void *target_args)
{
    (void)target_args;
    runs++;
    seen[0] = tc_forward(2, payload, size);
}

/* Rank 2 is nowhere. The message waits for it in far's queue, and ends with the endpoint. */
TEST(what_waited_for_a_member_that_never_came_is_told_to_its_origin)
{
    join(3);
    call(goes_to_rank_2, 0, 0);
    assert_ok(seen[0]);
    assert_int_equal(answer.count, 0);
    tc_ep *waiting;
    assert_ok(tc_group_ep(pair.far->calling.groups.first, 2, &waiting, NULL));
    (void)tci_ep_fail_with(waiting, TC_E_TIMEOUT, "rank 2 did not answer in time");
    tci_ep_notify_end(waiting);
    fake_pair_settle(&pair);
    heard_expect(&answer, TC_E_PEER_LOST,
                 "rank 1 could not send it on to rank 2: rank 2 did not answer in time");
    fake_pair_close(&pair);
}

TEST(a_call_that_never_left_ends_here)
{
    join(3);
    tc_ep *waiting;
    tc_ifunc *fn = fake_node_function(pair.near, "called", says_nothing);
    assert_ok(tc_group_ep(pair.near->calling.groups.first, 2, &waiting, NULL));
    start_by(waiting, fn, 0, 0);
    assert_int_equal(answer.count, 0);
    (void)tci_ep_fail_with(waiting, TC_E_TIMEOUT, "rank 2 did not answer in time");
    tci_ep_notify_end(waiting);
    fake_pair_settle(&pair);
    heard_expect(&answer, TC_E_PEER_LOST, "rank 0 could not send it on to rank 2");
    fake_pair_close(&pair);
}

/* The member has refused the function while the call waited in the queue. */
TEST(a_queued_call_of_a_refused_function_ends_as_refused)
{
    join(2);
    tc_ifunc *fn = fake_node_function(pair.near, "called", says_nothing);
    pair.ep->unconfirmed = pair.ep->tx.queues_unopened = true;
    tci_ep_set_fast(pair.ep);
    start_by(pair.ep, fn, 0, 0);
    assert_int_equal(answer.count, 0);
    pair.ep->tx.bindings[fn->index] = TCI_TX_REFUSED;
    pair.ep->unconfirmed = pair.ep->tx.queues_unopened = false;
    tci_pending_add(&pair.near->core.pending, TCI_WORK_QUEUE);
    fake_pair_settle(&pair);
    heard_expect(&answer, TC_E_REFUSED, "rank 0 could not send it on to rank 1");
    assert_int_equal(runs, 0);
    fake_pair_close(&pair);
}
