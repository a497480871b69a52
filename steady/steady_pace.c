#include "steady_pace.h"

void tcs_pace_init(tcs_pace *pace, uint64_t min_ns, uint64_t max_ns, uint64_t seed)
{
    *pace = (tcs_pace){.min_ns = min_ns, .max_ns = max_ns, .random = seed};
}

/* SplitMix64. Nothing depends on its being hard to guess. */
static uint64_t next_random(tcs_pace *pace)
{
    uint64_t z = pace->random += 0x9e3779b97f4a7c15ull;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

static uint64_t random_up_to(tcs_pace *pace, uint64_t most)
{
    return most == UINT64_MAX ? next_random(pace) : next_random(pace) % (most + 1);
}

uint64_t tcs_pace_next(tcs_pace *pace)
{
    const uint64_t longest = pace->next_ns;
    if (longest == 0) {
        pace->next_ns = pace->min_ns;
        return random_up_to(pace, pace->min_ns);
    }
    pace->next_ns = longest > pace->max_ns / 2 ? pace->max_ns : 2 * longest;
    return longest - random_up_to(pace, longest / 2);
}

void tcs_pace_reset(tcs_pace *pace)
{
    pace->next_ns = 0;
}
