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
