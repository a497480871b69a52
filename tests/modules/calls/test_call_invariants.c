/* Broken state of calls, of replies to this context itself and of groups ends the process. */
#include "../../support/broken_invariant.h"
#include "base/clock.h"
#include "caller.h"
#include "modules/calls/calling_state.h"
#include "modules/calls/groups.h"
#include "modules/calls/invocation.h"
#include "modules/calls/local_reply.h"
#include "modules/calls/member.h"
#include "modules/calls/reply_memory.h"

static caller c; /* of the child that breaks it */
static heard h;

static tci_calls *one_call(void)
{
    c = caller_make();
    (void)caller_start(c.pair.ep, c.fn, &h, TCI_NS_PER_S);
    return tci_calls_of(c.core);
}

TEST_BROKEN(call_table)
{
    one_call()->count = 0;
    tci_calls_end(c.core);
}

TEST_BROKEN(call_open)
{
    one_call()->free = 1;
    (void)caller_start(c.pair.ep, c.fn, &h, TCI_NS_PER_S);
}

TEST_BROKEN(call_deadline)
{
    tci_calls *calls = one_call();
    calls->head.next_deadline_ns++;
    tci_calls_expire(c.core, calls->head.next_deadline_ns);
}

TEST_BROKEN(reply_list)
{
    static const tci_reply reply = {.call = 1};
    c = caller_make();
    tci_local_replies *replies = &tci_calling_of(c.core)->replies;
    assert_ok(tci_local_reply_keep(c.core, NULL, &reply, NULL, "a", 1));
    replies->last = &replies->first;
    assert_ok(tci_local_reply_keep(c.core, NULL, &reply, NULL, "b", 1));
}

TEST_BROKEN(reply_memory)
{
    static tci_invocation invocation;
    c = caller_make();
    tci_reply_memory_give_back(&invocation);
}

TEST_BROKEN(current_message)
{
    static tci_invocation invocation;
    c = caller_make();
    tci_invocation_end(&invocation, c.pair.ep);
}

/* --- groups ------------------------------------------------------------------------------ */

static const tc_error gone = {TC_E_PEER_LOST, "gone"};
static fake_pair pair;

static tc_group *joined(void)
{
    fake_pair_join(&pair, FAKE_MAPPED, 2);
    return pair.ep->member.group;
}

TEST_BROKEN(group_list)
{
    tc_group *group = joined();
    pair.near->calling.groups.first = NULL;
    tci_group_free(group);
}

TEST_BROKEN(group_rank)
{
    pair.ep->member.rank = joined()->size;
    tci_member_ended(pair.ep, &gone);
}

TEST_BROKEN(group_member)
{
    tc_group *group = joined();
    group->members[1].ep = fake_node_ep(pair.near);
    tci_member_ended(pair.ep, &gone);
}

TEST_BROKEN(group_missing)
{
    static const uint8_t first[8] = {1};
    tc_error error;
    tc_group *group = joined();
    tci_member_enter_barrier(group);
    group->missing = 0;
    assert_ok(tci_member_control(pair.ep, TCI_CONTROL_ARRIVED, first, sizeof first, &error));
}
