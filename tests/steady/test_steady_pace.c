/* The waits between attempts to connect. */
#include "../../steady/steady_pace.h"

#include "../support/test.h"

#define MIN_NS 1000u
#define MAX_NS 50000u

TEST(waits_double_up_to_their_bound)
{
    for (uint64_t seed = 0; seed < 200; seed++) {
        tcs_pace pace;
        tcs_pace_init(&pace, MIN_NS, MAX_NS, seed);
        assert_true(tcs_pace_next(&pace) <= MIN_NS);
        for (uint64_t longest = MIN_NS, i = 0; i < 20; i++) {
            const uint64_t wait_ns = tcs_pace_next(&pace);
            assert_true(wait_ns <= longest && wait_ns >= longest - longest / 2);
            longest = 2 * longest < MAX_NS ? 2 * longest : MAX_NS;
        }
    }
}

TEST(a_reset_begins_with_the_shortest_wait)
{
    tcs_pace pace;
    tcs_pace_init(&pace, MIN_NS, MAX_NS, 7);
    for (unsigned i = 0; i < 20; i++)
        (void)tcs_pace_next(&pace);
    tcs_pace_reset(&pace);
    assert_true(tcs_pace_next(&pace) <= MIN_NS);
    const uint64_t wait_ns = tcs_pace_next(&pace);
    assert_true(wait_ns <= MIN_NS && wait_ns >= MIN_NS / 2);
}

/* Peers that lose a target at once come back at different moments. */
TEST(seeds_spread_the_first_wait)
{
    unsigned early = 0;
    for (uint64_t seed = 0; seed < 1000; seed++) {
        tcs_pace pace;
        tcs_pace_init(&pace, MIN_NS, MAX_NS, seed);
        early += tcs_pace_next(&pace) < MIN_NS / 2;
    }
    assert_in_range(early, 400, 600);
}

TEST(the_longest_waits_do_not_overflow)
{
    tcs_pace pace;
    tcs_pace_init(&pace, UINT64_MAX / 2 + 2, UINT64_MAX, 3);
    (void)tcs_pace_next(&pace);
    (void)tcs_pace_next(&pace);
    for (unsigned i = 0; i < 5; i++)
        assert_true(tcs_pace_next(&pace) >= UINT64_MAX / 2);
}
