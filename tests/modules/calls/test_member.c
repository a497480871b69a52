/* The member and the group at the other end, by peers' messages and their order. */
#include "../../support/fake_node.h"
#include "endpoint/ep_life.h"
#include "core/ep_state.h"
#include "modules/calls/member.h"
#include "transfer/frame_out.h"

static fake_pair pair;

/* An open pair that knows of no group, with layers that receive all events. */
static void open_plain(void)
{
    fake_pair_make(&pair, FAKE_MAPPED);
    pair.near->seen.then = pair.far->seen.then = &fake_layers;
    fake_pair_connect(&pair);
}

static tc_group *group_at(fake_node *node, uint32_t rank, uint32_t size)
{
    return fake_group_create(node, rank, size, pair.near, pair.far);
}

/* The membership that near sends to far. */
static tc_status claim(uint64_t group, uint32_t size, uint32_t rank, tc_error *err)
{
    uint8_t payload[TCI_MEMBERSHIP_BYTES];
    const tci_membership m = {.group = group, .size = size, .rank = rank};
    tci_membership_encode(&m, payload);
    return tci_member_control(pair.peer, TCI_CONTROL_MEMBER, payload, sizeof payload, err);
}

static tc_status count(tci_control control, uint64_t n)
{
    uint8_t payload[8];
    tc_error error;
    for (size_t i = 0; i < 8; i++)
        payload[i] = (uint8_t)(n >> 8 * i);
    return tci_member_control(pair.peer, control, payload, sizeof payload, &error);
}

TEST(members_agree_and_use_one_endpoint)
{
    tc_ep *back;
    fake_pair_join(&pair, FAKE_MAPPED, 2);
    tc_group *far_group = pair.far->calling.groups.first;
    assert_int_equal(pair.peer->member.rank, 0);
    assert_ok(tc_group_ep(far_group, 0, &back, NULL));
    assert_ptr_equal(back, pair.peer);
    assert_ok(tc_group_ep(pair.near->calling.groups.first, 1, &back, NULL));
    assert_ptr_equal(back, pair.ep);
    fake_pair_close(&pair);
}

TEST(a_rank_beyond_the_group_is_no_member)
{
    tc_error error;
    tc_ep *ep;
    fake_pair_join(&pair, FAKE_MAPPED, 2);
    assert_status(tc_group_ep(pair.near->calling.groups.first, 2, &ep, &error), TC_E_NOT_FOUND);
    assert_status(tc_group_ep(pair.near->calling.groups.first, TC_RANK_NONE, &ep, &error),
                  TC_E_NOT_FOUND);
    fake_pair_close(&pair);
}

TEST(messages_wait_until_the_member_that_was_called_says_it_is_that)
{
    tc_ep *ep;
    fake_pair_make(&pair, FAKE_MAPPED);
    pair.near->seen.then = pair.far->seen.then = &fake_layers;
    tci_ep_free(pair.ep);
    tc_group *group = group_at(pair.near, 0, 2);
    assert_ok(tc_group_ep(group, 1, &ep, NULL));
    pair.ep = ep;
    fake_pair_connect(&pair);
    tc_ifunc *fn = fake_node_function(pair.near, "nothing", fake_nothing);
    assert_ok(tc_send(ep, fn, NULL, 0));
    fake_pair_settle(&pair);
    assert_int_equal(pair.peer->rx.run_messages, 0); /* far has no such group yet */
    (void)group_at(pair.far, 1, 2);
    fake_pair_settle(&pair);
    assert_true(tci_ep_takes_messages(ep));
    assert_int_equal(pair.peer->rx.run_messages, 1);
    fake_pair_close(&pair);
}

/* near calls rank 1; another member answers. */
TEST(another_than_was_called_ends_the_endpoint)
{
    static const struct {
        uint64_t group;
        uint32_t size, rank;
        const char *text;
    } claims[] = {
        {FAKE_GROUP, 3, 2, "rank 0 was expected there, and rank 2 of the group answered"},
        {FAKE_GROUP + 1, 3, 0, "rank 0 of another group answered"},
        {FAKE_GROUP, 4, 0, "rank 0 of the group counts 4 members, and here it has 3"}};
    for (size_t i = 0; i < sizeof claims / sizeof claims[0]; i++) {
        tc_error error = {0};
        fake_pair_join(&pair, FAKE_MAPPED, 3);
        assert_status(claim(claims[i].group, claims[i].size, claims[i].rank, &error),
                      TC_E_CORRUPT);
        assert_non_null(strstr(error.text, claims[i].text));
        assert_ok(claim(FAKE_GROUP, 3, 0, &error)); /* again is no matter */
        fake_pair_close(&pair);
    }
}

TEST(memberships_of_a_wrong_form_are_corrupt)
{
    tc_error error;
    uint8_t payload[32] = {0};
    open_plain();
    for (size_t size = 0; size < sizeof payload; size++)
        assert_status(tci_member_control(pair.peer, TCI_CONTROL_MEMBER, payload, size, &error),
                      TC_E_CORRUPT);
    assert_status(claim(0, 2, 1, &error), TC_E_CORRUPT);
    assert_status(claim(FAKE_GROUP, 2, 2, &error), TC_E_CORRUPT);
    assert_status(claim(FAKE_GROUP, 0, 0, &error), TC_E_CORRUPT);
    assert_null(pair.peer->member.group);
    fake_pair_close(&pair);
}

/* A member may connect before this side has made the group. */
TEST(endpoints_that_named_the_group_first_are_adopted)
{
    tc_error error;
    tc_ep *ep;
    open_plain();
    assert_ok(claim(FAKE_GROUP, 2, 0, &error));
    assert_ok(count(TCI_CONTROL_ARRIVED, 3));
    assert_null(pair.peer->member.group);
    tc_group *group = group_at(pair.far, 1, 2);
    assert_ptr_equal(pair.peer->member.group, group);
    assert_int_equal(pair.peer->member.rank, 0);
    assert_int_equal(group->members[0].arrived, 3); /* its earlier message counts */
    assert_ok(tc_group_ep(group, 0, &ep, NULL));
    assert_ptr_equal(ep, pair.peer);
    fake_pair_close(&pair);
}

TEST(an_endpoint_that_named_another_group_is_not)
{
    tc_error error;
    open_plain();
    assert_ok(claim(FAKE_GROUP + 1, 2, 0, &error));
    (void)group_at(pair.far, 1, 2);
    assert_null(pair.peer->member.group);
    assert_true(tci_ep_is_open(pair.peer));
    fake_pair_close(&pair);
}

TEST(an_endpoint_that_counted_the_group_differently_ends_then)
{
    tc_error error;
    open_plain();
    assert_ok(claim(FAKE_GROUP, 5, 4, &error));
    (void)group_at(pair.far, 1, 2);
    fake_expect_failed(pair.peer, TC_E_CORRUPT, "counts 5 members, and here it has 2");
    fake_pair_close(&pair);
}

/* Both called at once: each sends by its own, and receives by both. */
TEST(a_second_endpoint_to_a_member_only_receives)
{
    tc_ep *ep;
    tc_error error;
    fake_pair_join(&pair, FAKE_MAPPED, 2);
    tc_group *group = pair.far->calling.groups.first;
    fake_pair second = {.near = pair.near,
                        .far = pair.far,
                        .ep = fake_node_ep(pair.near),
                        .peer = fake_node_ep(pair.far)};
    fake_pair_connect(&second);
    tc_ep *first = pair.peer;
    pair.peer = second.peer;
    assert_ok(claim(FAKE_GROUP, 2, 0, &error));
    assert_ptr_equal(second.peer->member.group, group);
    assert_ok(tc_group_ep(group, 0, &ep, NULL));
    assert_ptr_equal(ep, first);
    tci_ep_free(second.peer); /* which does not end with the member */
    assert_ok(tc_group_ep(group, 0, &ep, NULL));
    assert_ptr_equal(ep, first);
    assert_null(group->members[0].error);
    fake_pair_close(&pair);
}

/* --- barriers
 * ---------------------------------------------------------------------------------- */

TEST(counts_of_barriers_never_run_backwards)
{
    fake_pair_join(&pair, FAKE_MAPPED, 2);
    tc_group *group = pair.far->calling.groups.first;
    assert_ok(count(TCI_CONTROL_ARRIVED, 5));
    assert_ok(count(TCI_CONTROL_ARRIVED, 2));
    assert_int_equal(group->members[0].arrived, 5);
    assert_ok(count(TCI_CONTROL_RELEASED, 7));
    assert_ok(count(TCI_CONTROL_RELEASED, 3));
    assert_int_equal(group->released, 7);
    fake_pair_close(&pair);
}

/* Rank 0's count of the missing, whenever they come: before it, by a second endpoint, twice. */
TEST(a_member_is_counted_once_for_a_barrier)
{
    fake_pair_join(&pair, FAKE_MAPPED, 4);
    tc_group *group = pair.near->calling.groups.first;
    tc_ep *far = pair.peer;
    pair.peer = pair.ep; /* near receives it from rank 1 */
    assert_ok(count(TCI_CONTROL_ARRIVED, 2));
    assert_int_equal(group->missing, 0); /* of no barrier */
    tci_member_enter_barrier(group);
    assert_int_equal(group->missing, 2);
    tci_member_enter_barrier(group);
    assert_int_equal(group->missing, 2);
    tci_member_enter_barrier(group);
    assert_int_equal(group->missing, 3);
    assert_ok(count(TCI_CONTROL_ARRIVED, 3));
    assert_int_equal(group->missing, 2);
    assert_ok(count(TCI_CONTROL_ARRIVED, 3));
    assert_ok(count(TCI_CONTROL_ARRIVED, 5));
    assert_int_equal(group->missing, 2);
    tci_member_enter_barrier(group);
    tci_member_enter_barrier(group);
    assert_int_equal(group->missing, 2);
    pair.peer = far;
    assert_ok(count(TCI_CONTROL_ARRIVED, 9)); /* far does not count */
    assert_int_equal(far->member.group->missing, 0);
    fake_pair_close(&pair);
}

/* The endpoint named its barrier before its group. */
TEST(a_member_that_came_before_it_was_known_is_counted)
{
    tc_error error;
    open_plain();
    tc_group *group = group_at(pair.far, 0, 3);
    tci_member_enter_barrier(group);
    assert_ok(count(TCI_CONTROL_ARRIVED, 1));
    assert_int_equal(group->missing, 2);
    assert_ok(claim(FAKE_GROUP, 3, 2, &error));
    assert_int_equal(group->missing, 1);
    fake_pair_close(&pair);
}

TEST(only_rank_0_releases)
{
    fake_pair_join(&pair, FAKE_MAPPED, 2);
    tc_ep *far = pair.peer;
    pair.peer = pair.ep; /* near receives it from rank 1 */
    assert_ok(count(TCI_CONTROL_RELEASED, 7));
    assert_int_equal(pair.near->calling.groups.first->released, 0);
    pair.peer = far;
    fake_pair_close(&pair);
}

/* Every member that reaches it is notified, also late; the text is rank 0's. */
TEST(a_barrier_that_was_given_up_is_so_for_all)
{
    const tc_error lost = {TC_E_PEER_LOST, "barrier: rank 7: hung up"};
    fake_pair_join(&pair, FAKE_MAPPED, 2);
    tc_group *near = pair.near->calling.groups.first, *far = pair.far->calling.groups.first;
    for (int i = 0; i < 3; i++)
        tci_member_enter_barrier(near);
    tci_member_abandon_barrier(near, &lost);
    fake_pair_settle(&pair);
    assert_int_equal(far->abandoned, 0); /* it has not come yet */
    far->entered = 3;
    tci_frame_out_control(pair.peer, TCI_CONTROL_ARRIVED, 0, &far->entered,
                          sizeof far->entered);
    fake_pair_settle(&pair);
    assert_int_equal(far->abandoned, 3);
    assert_status(far->abandoned_for.status, TC_E_PEER_LOST);
    assert_string_equal(far->abandoned_for.text, lost.text);
    tci_member_enter_barrier(near);
    near->members[1].arrived = 4;
    tci_member_abandon_barrier(near, &lost);
    fake_pair_settle(&pair);
    assert_int_equal(far->abandoned, 4);
    fake_pair_close(&pair);
}

TEST(what_is_no_end_of_a_barrier_ends_none)
{
    const uint8_t payload[13] = {9, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 'x'};
    uint8_t fine[13];
    tc_error error;
    fake_pair_join(&pair, FAKE_MAPPED, 2);
    tc_group *group = pair.far->calling.groups.first;
    assert_status(tci_member_control(pair.peer, TCI_CONTROL_ABANDONED, payload, 7, &error),
                  TC_E_CORRUPT);
    assert_ok(tci_member_control(pair.peer, TCI_CONTROL_ABANDONED, payload, 11, &error));
    assert_int_equal(group->abandoned, 0);
    memcpy(fine, payload, sizeof fine);
    fine[11] = 0; /* a status above 0 */
    assert_ok(tci_member_control(pair.peer, TCI_CONTROL_ABANDONED, fine, 13, &error));
    assert_int_equal(group->abandoned, 0);
    assert_ok(tci_member_control(pair.peer, TCI_CONTROL_ABANDONED, payload, 13, &error));
    assert_int_equal(group->abandoned, 9);
    assert_ok(tci_member_control(pair.ep, TCI_CONTROL_ABANDONED, payload, 13,
                                 &error)); /* from rank 1, which ends no barrier */
    assert_int_equal(pair.near->calling.groups.first->abandoned, 0);
    fake_pair_close(&pair);
}

TEST(counts_of_one_that_is_of_no_group_touch_none)
{
    open_plain();
    tc_group *group = group_at(pair.far, 1, 2);
    assert_ok(count(TCI_CONTROL_ARRIVED, 5));
    assert_ok(count(TCI_CONTROL_RELEASED, UINT64_MAX));
    assert_int_equal(group->released, 0);
    assert_int_equal(group->members[0].arrived, 0);
    fake_pair_close(&pair);
}

/* --- members that go
 * ----------------------------------------------------------------------------- */

TEST(a_member_whose_endpoint_ended_is_called_anew)
{
    tc_ep *again;
    fake_pair_join(&pair, FAKE_MAPPED, 2);
    tc_group *group = pair.near->calling.groups.first;
    assert_ok(count(TCI_CONTROL_ARRIVED, 1));
    (void)tci_ep_fail_with(pair.ep, TC_E_PEER_LOST, "peer lost: hung up");
    assert_ok(tc_group_ep(group, 1, &again, NULL));
    assert_ptr_not_equal(again, pair.ep);
    tci_ep_free(pair.ep);
    tc_ep *same;
    assert_ok(tc_group_ep(group, 1, &same, NULL));
    assert_ptr_equal(same, again);
    fake_pair_close(&pair);
}

TEST(why_a_member_has_gone_is_kept)
{
    fake_pair_join(&pair, FAKE_MAPPED, 2);
    tci_member *m = &pair.near->calling.groups.first->members[1];
    (void)tci_ep_fail_with(pair.ep, TC_E_PEER_LOST, "peer lost: hung up");
    tci_ep_free(pair.ep);
    assert_null(m->ep);
    assert_null(m->arrived_by);
    assert_non_null(m->error);
    assert_string_equal(m->error->text, "peer lost: hung up");
    fake_pair_close(&pair);
}

/* As the starter of the job says. */
TEST(a_member_whose_process_has_ended_is_lost_unless_it_is_connected)
{
    static const tc_error gone = {TC_E_PEER_LOST, "its process ended with status 3"};
    tc_ep *ep;
    fake_pair_join(&pair, FAKE_MAPPED, 4);
    tc_group *group = pair.near->calling.groups.first;
    tci_member_gone(group, 1, &gone); /* its connection ends behind its messages */
    assert_true(tci_ep_is_open(pair.ep));
    assert_int_equal(group->losses, 0);
    tci_member_gone(group, 3, &gone);
    assert_int_equal(group->losses, 1);
    assert_string_equal(group->members[3].error->text, gone.text);
    assert_ok(tc_group_ep(group, 2, &ep, NULL)); /* which is connecting */
    tci_member_gone(group, 2, &gone);
    fake_expect_failed(ep, TC_E_PEER_LOST, "its process ended with status 3");
    fake_pair_close(&pair);
}

TEST(a_member_that_is_not_there_yet_is_tried_again_after_a_while)
{
    tc_ep *ep;
    fake_pair_join(&pair, FAKE_MAPPED, 3);
    tc_group *group = pair.near->calling.groups.first;
    fake_connect_status = TC_E_UNREACHABLE;
    assert_ok(tc_group_ep(group, 2, &ep, NULL));
    assert_null(ep->stream);
    tci_member_retry(ep, 0); /* not yet */
    assert_null(ep->stream);
    fake_connect_status = TC_OK;
    tci_member_retry(ep, UINT64_MAX / 2);
    assert_non_null(ep->stream);
    tci_member_retry(ep, 1000); /* which failed */
    assert_null(ep->stream);
    fake_connect_status = TC_E_IO;
    tci_member_retry(ep, UINT64_MAX / 2);
    fake_connect_status = TC_OK;
    fake_expect_failed(ep, TC_E_IO, "127.0.0.1:9");
    fake_pair_close(&pair);
}

TEST(a_member_that_cannot_even_be_tried_is_none)
{
    tc_ep *ep;
    tc_error error;
    fake_pair_join(&pair, FAKE_MAPPED, 3);
    tc_group *group = pair.near->calling.groups.first;
    fake_connect_status = TC_E_IO;
    assert_status(tc_group_ep(group, 2, &ep, &error), TC_E_IO);
    fake_connect_status = TC_OK;
    assert_null(group->members[2].ep);
    assert_int_equal(pair.near->core.handshakes, 0);
    fake_pair_close(&pair);
}

NODE_TEST(a_context_has_a_number_of_groups_at_most)
{
    const tc_group_member members[] = {{"127.0.0.1:9", 11}, {"127.0.0.1:9", 11}};
    tc_group_params params = {.size = 2, .members = members};
    tc_group *group;
    tc_error error = {0};
    for (params.id = 1; params.id <= TCI_GROUPS_MAX; params.id++)
        assert_ok(tci_group_create(&node->core, &params, sizeof members[0], &group, &error));
    assert_status(tci_group_create(&node->core, &params, sizeof members[0], &group, &error),
                  TC_E_TOO_LARGE);
    assert_string_equal(
        error.text, "group 1025 would be number 1025 of this context, expected 1024 at most");
    tci_group_free(group);
    assert_ok(tci_group_create(&node->core, &params, sizeof members[0], &group, &error));
}
