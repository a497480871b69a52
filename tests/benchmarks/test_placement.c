/* Near and far processors, by words that were not measured. */
#include "../../benchmarks/placement.h"

#include "../../benchmarks/perf_clock.h"
#include "../../benchmarks/word_trips.h"
#include "../support/test.h"

#include <pthread.h>
#include <string.h>

TEST(a_word_tells_near_from_far)
{
    assert_int_equal(placement_of(20), PLACEMENT_NEAR);
    assert_int_equal(placement_of(119.9), PLACEMENT_NEAR);
    assert_int_equal(placement_of(120), PLACEMENT_FAR);
    assert_int_equal(placement_of(600), PLACEMENT_FAR);
    assert_int_equal(placement_of(90000), PLACEMENT_SHARED);
}

TEST(a_round_between_unlike_words_is_of_neither)
{
    assert_int_equal(placement_of_round(50, 55), PLACEMENT_NEAR);
    assert_int_equal(placement_of_round(230, 240), PLACEMENT_FAR);
    assert_int_equal(placement_of_round(50, 230), PLACEMENT_MIXED);
    assert_int_equal(placement_of_round(230, 50), PLACEMENT_MIXED);
    assert_string_equal(placement_name(PLACEMENT_MIXED), "mixed");
}

TEST(quartiles_tell_of_many_rounds)
{
    const perf_spread near = {50, 55, 60}, far = {200, 230, 400}, both = {50, 60, 230};
    assert_int_equal(placement_of_words(near), PLACEMENT_NEAR);
    assert_int_equal(placement_of_words(far), PLACEMENT_FAR);
    assert_int_equal(placement_of_words(both), PLACEMENT_MIXED);
}

/* Two sockets of four cores of two threads: the sibling, three near cores, and the far ones. */
TEST(of_many_pairs_the_middle_ones_are_chosen)
{
    placement_pair pairs[] = {{4, 300}, {1, 15}, {2, 55}, {5, 310}, {3, 50}, {6, 290}};
    assert_int_equal(placement_choose(pairs, 6), 2);
    assert_int_equal(pairs[0].cpu, 3);
    assert_int_equal(pairs[1].cpu, 4);
}

TEST(a_sibling_is_chosen_where_no_other_is_near)
{
    placement_pair both[] = {{1, 15}, {2, 55}}, alone[] = {{1, 15}, {2, 200}};
    assert_int_equal(placement_choose(both, 2), 1);
    assert_int_equal(both[0].cpu, 2);
    assert_int_equal(placement_choose(alone, 2), 2);
    assert_int_equal(alone[0].cpu, 1);
    assert_int_equal(alone[1].cpu, 2);
}

TEST(of_one_class_there_is_one_pair)
{
    placement_pair far[] = {{1, 200}, {2, 210}, {3, 220}}, shared[] = {{1, 9000}, {2, 8000}};
    assert_int_equal(placement_choose(far, 3), 1);
    assert_int_equal(far[0].cpu, 2);
    assert_int_equal(placement_choose(shared, 2), 0);
    assert_int_equal(placement_choose(shared, 0), 0);
}

static uint64_t words[64]; /* a line apart */

static void *follow(void *user)
{
    double ns = 0;
    *(bool *)user =
        word_trips_measure(&words[0], &words[32], 7, false, 60 * PERF_NS_PER_S, &ns) && ns > 0;
    return NULL;
}

/* However many trips there were, so that the next ones begin with the same words. */
TEST(words_end_where_both_sides_know)
{
    pthread_t other;
    bool followed = false;
    double ns = 0;
    perf_clock_init();
    words[0] = words[32] = 7;
    assert_int_equal(pthread_create(&other, NULL, follow, &followed), 0);
    assert_true(word_trips_measure(&words[0], &words[32], 7, true, 60 * PERF_NS_PER_S, &ns));
    assert_int_equal(pthread_join(other, NULL), 0);
    assert_true(followed && ns > 0);
    assert_true(words[0] == words[32] && words[0] > 7);
}

TEST(a_word_that_never_comes_is_no_word)
{
    double ns = 0;
    words[0] = words[32] = 0;
    assert_false(word_trips_measure(&words[0], &words[32], 0, true, PERF_NS_PER_MS, &ns));
}
