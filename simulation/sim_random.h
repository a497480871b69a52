/* The random numbers of a world: xoshiro256** by Blackman and Vigna (public domain), seeded by
 * splitmix64. The same seed gives the same numbers on every machine. */
#ifndef SIM_RANDOM_H
#define SIM_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

typedef struct sim_random {
    uint64_t words[4];
} sim_random;

static inline uint64_t sim_random_mix(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static inline void sim_random_seed(sim_random *random, uint64_t seed)
{
    for (unsigned i = 0; i < 4; i++)
        random->words[i] = sim_random_mix(&seed);
}

static inline uint64_t sim_random_rotate(uint64_t word, unsigned bits)
{
    return (word << bits) | (word >> (64 - bits));
}

static inline uint64_t sim_random_next(sim_random *random)
{
    uint64_t *s = random->words;
    uint64_t result = sim_random_rotate(s[1] * 5, 7) * 9, t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = sim_random_rotate(s[3], 45);
    return result;
}

/* Returns a number below `limit`, which is not 0. The bias is below 2^-32 for small limits. */
static inline uint64_t sim_random_below(sim_random *random, uint64_t limit)
{
    return limit <= UINT32_MAX ? ((sim_random_next(random) >> 32) * limit) >> 32
                               : sim_random_next(random) % limit;
}

/* Returns true `per_million` times of a million. */
static inline bool sim_random_happens(sim_random *random, uint32_t per_million)
{
    return per_million > 0 && sim_random_below(random, 1000000) < per_million;
}

#endif
