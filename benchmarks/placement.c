#include "placement.h"

#include <stdlib.h>

/* Half round trips of a word: near ones take some 50 ns, far ones some 230, and a switch from
 * one process to another microseconds. */
#define FAR_NS 120.0
#define SHARED_NS 2000.0

placement_kind placement_of(double word_ns)
{
    return word_ns < FAR_NS      ? PLACEMENT_NEAR
           : word_ns < SHARED_NS ? PLACEMENT_FAR
                                 : PLACEMENT_SHARED;
}

placement_kind placement_of_round(double before_ns, double after_ns)
{
    const placement_kind before = placement_of(before_ns);
    return before == placement_of(after_ns) ? before : PLACEMENT_MIXED;
}

placement_kind placement_of_words(perf_spread word_ns)
{
    return placement_of_round(word_ns.quarter, word_ns.three_quarters);
}

const char *placement_name(placement_kind of)
{
    static const char *const names[PLACEMENT_COUNT] = {"near", "far", "shared", "mixed"};
    return names[of];
}

static int compare_pairs(const void *a, const void *b)
{
    const double left = ((const placement_pair *)a)->word_ns;
    const double right = ((const placement_pair *)b)->word_ns;
    return (left > right) - (left < right);
}

unsigned placement_choose(placement_pair *pairs, unsigned count)
{
    unsigned end[2] = {0, 0}; /* of the near ones, and of the far ones behind them */
    if (count == 0)
        return 0;
    qsort(pairs, count, sizeof *pairs, compare_pairs);
    for (unsigned i = 0; i < count; i++) {
        end[0] += placement_of(pairs[i].word_ns) == PLACEMENT_NEAR;
        end[1] += placement_of(pairs[i].word_ns) != PLACEMENT_SHARED;
    }
    const placement_pair near = pairs[end[0] / 2];
    const placement_pair far = pairs[(end[0] + end[1]) / 2 < count ? (end[0] + end[1]) / 2 : 0];
    unsigned chosen = 0;
    if (end[0] > 0)
        pairs[chosen++] = near;
    if (end[1] > end[0])
        pairs[chosen++] = far;
    return chosen;
}
