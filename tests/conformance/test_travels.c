/* Functions that send themselves on, and how far. */
#include "../shipped/travel.h"
#include "../support/test.h"
#include "team_call.h"

/* A call of rank `to`, and the place that answers it. */
static travel_place travel(team *t, uint32_t to, travel_order order)
{
    tc_error error = {0};
    travel_place place = {0};
    size_t size = sizeof place;
    if (team_call(t, to, &order, &place, &size, &error) != TC_OK)
        fail_msg("%s", error.text);
    return place;
}

TEST(functions_travel_and_tell_their_path)
{
    team t;
    team_open(&t, 4, NULL);
    for (uint64_t hops = 0; hops <= 70; hops += hops < 3 ? 1 : 13) {
        travel_place place = {0};
        call_record s = {0};
        const travel_order order = {.task = TRAVEL_ROUND, .count = hops};
        const tc_call_params params = {.result = &place,
                                       .result_capacity = sizeof place,
                                       .timeout_ns = TEAM_TIMEOUT_NS,
                                       .trace = 1,
                                       .done = call_record_note,
                                       .user = &s};
        assert_ok(
            tc_call_start(team_ep(&t, 1), t.fn, &order, sizeof order, &params, NULL, NULL));
        call_record_wait(&t, &s);
        if (s.status != TC_OK)
            fail_msg("%u hops: %s", (unsigned)hops, s.text);
        assert_int_equal(s.hops, hops);
        assert_int_equal(s.rank, (1 + hops) % 4);
        assert_int_equal(place.rank, s.rank);
        assert_int_equal(place.size, 4);
        assert_int_equal(place.origin, 0);
        assert_int_equal(place.hops, hops);
        assert_int_equal(s.path_length, hops);
        for (size_t i = 0; i < s.path_length; i++)
            assert_int_equal(s.path[i], (1 + i) % 4);
    }
    team_close(&t);
}

TEST(a_member_may_call_and_forward_to_itself)
{
    team t;
    team_open(&t, 2, NULL);
    travel_place place = travel(&t, 0, (travel_order){.task = TRAVEL_TO, .rank = 0});
    assert_int_equal(place.rank, 0);
    assert_int_equal(place.hops, 0);
    place = travel(&t, 0, (travel_order){.task = TRAVEL_TO, .rank = 1});
    assert_int_equal(place.rank, 1);
    assert_int_equal(place.hops, 1);
    team_close(&t);
    team_open(&t, 1, NULL);
    place = travel(&t, 0, (travel_order){.task = TRAVEL_ROUND, .count = 10});
    assert_int_equal(place.hops, 10);
    team_close(&t);
}

/* A program that was compiled before `done` was a field: the bytes there are not read. */
TEST(params_of_an_older_program)
{
    team t;
    call_record s = {0};
    travel_place place = {0};
    const travel_order order = {.task = TRAVEL_ROUND, .count = 1};
    const tc_call_params params = {.result = &place,
                                   .result_capacity = sizeof place,
                                   .timeout_ns = TEAM_TIMEOUT_NS,
                                   .done = call_record_note,
                                   .user = &s};
    const struct {
        tc_call_params params;
        uint64_t later;
    } newer = {.later = 1};
    team_open(&t, 2, NULL);
    assert_ok(tc_call_start_sized(team_ep(&t, 1), t.fn, &order, sizeof order, &params,
                                  offsetof(tc_call_params, done), NULL, NULL));
    while (tc_call_count(t.contexts[0]) > 0)
        team_turn(&t);
    assert_int_equal(place.size, 2);
    assert_int_equal(s.calls, 0);
    assert_status(tc_call_start_sized(team_ep(&t, 1), t.fn, &order, sizeof order, &newer.params,
                                      sizeof newer, NULL, NULL),
                  TC_E_UNSUPPORTED);
    assert_int_equal(tc_call_count(t.contexts[0]), 0);
    team_close(&t);
}

TEST(hops_have_a_limit)
{
    team t;
    call_record s = {0};
    const travel_order order = {.task = TRAVEL_ROUND, .count = UINT64_MAX};
    tc_call_params params = {.timeout_ns = TEAM_TIMEOUT_NS,
                             .hop_limit = 25,
                             .trace = 1,
                             .done = call_record_note,
                             .user = &s};
    team_open(&t, 3, NULL);
    assert_ok(tc_call_start(team_ep(&t, 1), t.fn, &order, sizeof order, &params, NULL, NULL));
    call_record_wait(&t, &s);
    assert_status(s.status, TC_E_HOPS);
    assert_int_equal(s.hops, 25);
    assert_non_null(strstr(s.text, "25 hops"));
    assert_int_equal(s.path_length, 25);
    team_close(&t);
}

/* Without a call the origin is notified as well; every member's own limit holds too. */
TEST(messages_without_a_call_report_what_stopped_them)
{
    static const char *const options[] = {"hop_limit", "40", NULL};
    team t;
    tc_error error = {0};
    const travel_order for_ever = {.task = TRAVEL_ROUND, .count = UINT64_MAX};
    const travel_order nowhere = {.task = TRAVEL_TO, .rank = 9};
    team_open(&t, 3, options);
    assert_int_equal(tc_group_failures(t.groups[0], &error), 0);
    assert_ok(tc_group_send(t.groups[0], 1, t.fn, &for_ever, sizeof for_ever));
    while (tc_group_failures(t.groups[0], &error) < 1)
        team_turn(&t);
    assert_status(error.status, TC_E_HOPS);
    assert_ok(tc_group_send(t.groups[0], 2, t.fn, &nowhere, sizeof nowhere));
    while (tc_group_failures(t.groups[0], &error) < 2)
        team_turn(&t);
    assert_status(error.status, TC_E_NOT_FOUND);
    assert_non_null(strstr(error.text, "rank 2 could not send it on to rank 9"));
    team_close(&t);
}

TEST(a_call_may_be_answered_by_another_member)
{
    team t;
    team_open(&t, 4, NULL);
    travel_place place = travel(&t, 2, (travel_order){.task = TRAVEL_TICKET});
    assert_int_equal(place.rank, 3);
    assert_int_equal(place.origin, 2);
    place = travel(&t, 1, (travel_order){.task = TRAVEL_BOTH, .rank = 3});
    assert_int_equal(place.rank, 1);
    team_close(&t);
}

/* Large payloads travel too, whether members have met before or not. */
TEST(large_payloads_travel)
{
    const size_t bytes = sizeof(travel_order) + 400000;
    team t;
    tc_error error = {0};
    uint8_t *args = calloc(1, bytes);
    team_open(&t, 3, NULL);
    for (unsigned round = 0; round < 3; round++) {
        travel_place place = {0};
        size_t size = sizeof place;
        const travel_order order = {.task = TRAVEL_ROUND, .count = 7};
        memcpy(args, &order, sizeof order);
        tc_status status =
            tc_call(team_ep(&t, 1), t.fn, args, bytes, &place, &size, TEAM_TIMEOUT_NS, &error);
        if (status != TC_OK)
            fail_msg("round %u: %s", round, error.text);
        assert_int_equal(place.hops, 7);
        assert_int_equal(place.rank, 2);
    }
    free(args);
    team_close(&t);
}

TEST(addresses_make_a_group_too)
{
    team t;
    team_open_by_address(&t, 3, NULL);
    const travel_place place = travel(&t, 1, (travel_order){.task = TRAVEL_ROUND, .count = 8});
    assert_int_equal(place.rank, 0);
    assert_int_equal(place.hops, 8);
    team_close(&t);
}
