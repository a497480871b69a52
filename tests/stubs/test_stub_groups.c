/* Calls of every rank of a group by a stub. */
#include "../support/team.h"
#include "../support/test.h"

#include "deeds_calls.h"

enum { RANKS = 3 };

static tc_error error;

static void expect_ok(tc_status status)
{
    if (status != TC_OK)
        fail_msg("%s", error.text);
}

TEST(all_ranks_answer)
{
    team t;
    tc_ifunc *flip_fn, *nothing_fn, *mix_fn;
    struct flip_answer answers[RANKS];
    struct mix_answer sums[RANKS];
    tc_status statuses[RANKS];
    const int64_t count = 5;
    team_open(&t, RANKS, NULL);
    expect_ok(flip_open(t.contexts[0], &flip_fn, &error));
    expect_ok(mix_open(t.contexts[0], &mix_fn, &error));
    expect_ok(nothing_open(t.contexts[0], &nothing_fn, &error));
    memset(statuses, -1, sizeof statuses);
    expect_ok(flip_all(t.groups[0], flip_fn, true, BLUE, &count, answers, statuses,
                       TEAM_TIMEOUT_NS, &error));
    expect_ok(mix_all(t.groups[0], mix_fn, -100, 65535, -7, 1u << 31, 2.5f, sums, NULL,
                      TEAM_TIMEOUT_NS, &error));
    expect_ok(nothing_all(t.groups[0], nothing_fn, NULL, TEAM_TIMEOUT_NS, &error));
    for (int rank = 0; rank < RANKS; rank++) {
        assert_int_equal(statuses[rank], TC_OK);
        assert_int_equal(answers[rank].count, -3);
        assert_false(answers[rank].result);
        assert_int_equal(sums[rank].result, mix(-100, 65535, -7, 1u << 31, 2.5f));
    }
    assert_status(
        mix_all(t.groups[0], flip_fn, 1, 2, 3, 4, 5, sums, NULL, TEAM_TIMEOUT_NS, &error),
        TC_E_VERSION);
    team_close(&t);
}

static uint64_t answers[RANKS][4];
static size_t sizes[RANKS];
static tc_status statuses[RANKS];

static tc_status squares_of_all(team *t, tc_ifunc *fn, uint32_t n, size_t capacity)
{
    memset(answers, -1, sizeof answers);
    memset(sizes, -1, sizeof sizes);
    memset(statuses, -1, sizeof statuses);
    return squares_all(t->groups[0], fn, n, answers, capacity, sizes, statuses, TEAM_TIMEOUT_NS,
                       &error);
}

static void check_answer(const void *answer, uint32_t rank)
{
    uint64_t found[3] = {7, 7, 7};
    assert_int_equal(statuses[rank], TC_OK);
    assert_int_equal(sizes[rank], rank * sizeof *found);
    expect_ok(squares_decode(answer, sizes[rank], found, 3, &error));
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(found[i], i < rank ? i * i : 0);
}

TEST(answers_differ_in_size)
{
    team t;
    tc_ifunc *fn;
    uint64_t found[3] = {7, 7, 7};
    team_open(&t, RANKS, NULL);
    expect_ok(tc_ifunc_open(t.contexts[0], "rank_squares", &fn, &error));
    assert_int_equal(squares_capacity(3), 24);
    expect_ok(squares_of_all(&t, fn, 3, sizeof answers[0]));
    for (uint32_t rank = 0; rank < RANKS; rank++)
        check_answer(answers[rank], rank);

    /* A capacity of the caller's below the largest answer. */
    assert_status(squares_of_all(&t, fn, 3, 8), TC_E_TOO_LARGE);
    check_answer((unsigned char *)answers + 8, 1);
    assert_int_equal(statuses[2], TC_E_TOO_LARGE);
    assert_int_equal(sizes[2], 16);
    assert_int_equal(answers[0][2], UINT64_MAX);

    /* More elements than were asked for, within the capacity and above it. */
    for (size_t capacity = 8; capacity <= 32; capacity += 24) {
        assert_status(squares_of_all(&t, fn, 1, capacity), TC_E_INVALID);
        assert_string_equal(error.text,
                            "squares: the size of rank 2's answer is 16, expected at most 8");
        assert_int_equal(statuses[1], TC_OK);
        assert_int_equal(statuses[2], TC_E_INVALID);
    }

    expect_ok(squares_of_all(&t, fn, 99, sizeof answers[0]));
    assert_status(squares_decode(answers[2], sizes[2], found, 3, &error), TC_E_INVALID);
    assert_string_equal(
        error.text, "squares: the answer's size is 13, expected whole elements behind byte 0");
    assert_int_equal(found[0], 7);
    team_close(&t);
}

TEST(all_answers_of_several_values)
{
    enum { N = 2, M = 3 };
    team t;
    tc_ifunc *blend_fn;
    const double a[N] = {2, 4};
    const float b[N] = {1, 1};
    static unsigned char bytes[RANKS][128];
    team_open(&t, RANKS, NULL);
    expect_ok(blend_open(t.contexts[0], &blend_fn, &error));
    assert_true(blend_capacity(N, M) <= sizeof bytes[0]);
    expect_ok(blend_all(t.groups[0], blend_fn, a, 0.5, b, N, "abc", M, true, bytes,
                        sizeof bytes[0], sizes, NULL, TEAM_TIMEOUT_NS, &error));
    for (uint32_t rank = 0; rank < RANKS; rank++) {
        float changed[N] = {0};
        int32_t found[M] = {0};
        struct limits limits;
        double result = 0;
        expect_ok(blend_decode(bytes[rank], sizes[rank], changed, N, &limits, found, M, &result,
                               &error));
        assert_true(result == 8 && limits.low == 5 && limits.high == 1);
        assert_true(changed[0] == 2 && changed[1] == 3 && found[2] == 'c');
    }

    /* Answers below the fixed part. */
    tc_ifunc *fn;
    struct mix_answer sums[RANKS];
    expect_ok(tc_ifunc_open(t.contexts[0], "rank_squares", &fn, &error));
    assert_status(blend_all(t.groups[0], fn, a, 0.5, b, N, "abc", M, true, bytes,
                            sizeof bytes[0], sizes, statuses, TEAM_TIMEOUT_NS, &error),
                  TC_E_INVALID);
    assert_non_null(strstr(error.text, "blend: the size of rank 0's answer is 0, expected at"));
    assert_status(
        mix_all(t.groups[0], fn, 1, 2, 3, 4, 5, sums, statuses, TEAM_TIMEOUT_NS, &error),
        TC_E_INVALID);
    assert_string_equal(error.text,
                        "mix: the size of rank 0's answer is 0, expected at least 8");
    for (uint32_t rank = 0; rank < RANKS; rank++)
        assert_int_equal(statuses[rank], TC_E_INVALID);
    team_close(&t);
}
