/* One call to all members of a group: the answer of each, and the result of calls without an
 * answer. */
#include "../shipped/travel.h"
#include "../support/team.h"
#include "../support/test.h"

#include <tc/ifunc.h>

enum { MEMBERS = 5 };

TEST(every_rank_answers)
{
    team t;
    tc_error error = {0};
    uint64_t counts[MEMBERS] = {0};
    size_t sizes[MEMBERS] = {0};
    tc_status statuses[MEMBERS] = {TC_E_IO, TC_E_IO, TC_E_IO, TC_E_IO, TC_E_IO};
    const travel_order order = {.task = TRAVEL_COUNT};
    const tc_group_call_params params = {.results = counts,
                                         .result_capacity = sizeof counts[0],
                                         .sizes = sizes,
                                         .statuses = statuses,
                                         .timeout_ns = TEAM_TIMEOUT_NS};
    team_open(&t, MEMBERS, NULL);
    for (uint64_t round = 1; round <= 20; round++) {
        if (tc_group_call_all(t.groups[0], t.fn, &order, sizeof order, &params, &error) !=
            TC_OK)
            fail_msg("%s", error.text);
        for (uint32_t rank = 0; rank < MEMBERS; rank++) {
            assert_int_equal(counts[rank], round);
            assert_int_equal(sizes[rank], sizeof counts[0]);
            assert_ok(statuses[rank]);
        }
    }
    assert_ok(tc_group_call_all(t.groups[0], t.fn, &order, sizeof order, NULL, NULL));
    team_close(&t);
}

TEST(who_fails_is_named_and_the_others_answer)
{
    team t;
    tc_error error = {0};
    char words[MEMBERS][8] = {{0}};
    tc_status statuses[MEMBERS] = {TC_OK};
    const travel_order order = {.task = TRAVEL_DATA};
    const tc_group_call_params params = {.results = words,
                                         .result_capacity = sizeof words[0],
                                         .statuses = statuses,
                                         .timeout_ns = TEAM_TIMEOUT_NS};
    team_open(&t, MEMBERS, NULL);
    team_pause(&t);
    for (uint32_t rank = 0; rank < MEMBERS; rank++) {
        if (rank != 2 && rank != 4)
            assert_ok(tc_context_publish(t.contexts[rank], "travel", "here", 5, NULL));
    }
    team_resume(&t);
    assert_status(tc_group_call_all(t.groups[0], t.fn, &order, sizeof order, &params, &error),
                  TC_E_NOT_FOUND);
    assert_status(error.status, TC_E_NOT_FOUND);
    assert_string_equal(error.text, "rank 2: nothing is published here");
    for (uint32_t rank = 0; rank < MEMBERS; rank++) {
        bool fails = rank == 2 || rank == 4;
        assert_int_equal(statuses[rank], fails ? TC_E_NOT_FOUND : TC_OK);
        assert_string_equal(words[rank], fails ? "" : "here");
    }
    team_close(&t);
}

TEST(answers_that_are_too_large_are_not_written)
{
    team t;
    tc_error error = {0};
    uint8_t bytes[MEMBERS][4];
    size_t sizes[MEMBERS] = {0};
    const travel_order order = {.task = TRAVEL_BIG, .count = 5};
    const tc_group_call_params params = {.results = bytes,
                                         .result_capacity = sizeof bytes[0],
                                         .sizes = sizes,
                                         .timeout_ns = TEAM_TIMEOUT_NS};
    memset(bytes, 0xee, sizeof bytes);
    team_open(&t, MEMBERS, NULL);
    assert_status(tc_group_call_all(t.groups[0], t.fn, &order, sizeof order, &params, &error),
                  TC_E_TOO_LARGE);
    assert_non_null(strstr(error.text, "rank 0: "));
    for (uint32_t rank = 0; rank < MEMBERS; rank++) {
        assert_int_equal(sizes[rank], 5);
        assert_int_equal(bytes[rank][0], 0xee);
    }
    team_close(&t);
}

/* Rank 0 answers nothing either; late answers touch nothing. */
TEST(the_deadline_ends_all)
{
    team t;
    tc_error error = {0};
    tc_status statuses[MEMBERS] = {TC_OK};
    const travel_order order = {.task = TRAVEL_KEEP};
    const tc_group_call_params params = {.statuses = statuses,
                                         .timeout_ns = TC_MILLISECONDS(100)};
    team_open(&t, MEMBERS, NULL);
    /* Otherwise some may be connecting still when the team ends, where UCX leaks. */
    assert_ok(tc_group_connect(t.groups[0], TEAM_TIMEOUT_NS, &error));
    assert_status(tc_group_call_all(t.groups[0], t.fn, &order, sizeof order, &params, &error),
                  TC_E_TIMEOUT);
    assert_non_null(strstr(error.text, "rank 0: "));
    for (uint32_t rank = 0; rank < MEMBERS; rank++)
        assert_status(statuses[rank], TC_E_TIMEOUT);
    assert_int_equal(tc_call_count(t.contexts[0]), 0);
    team_close(&t);
}
