#include "dapc_table.h"

#include <stdlib.h>

#define SEED 0x3c6ef372fe94f82bull

/* The finalizer of SplitMix64 over a counter. */
static uint64_t random_of(uint64_t number)
{
    uint64_t x = SEED + (number + 1) * 0x9e3779b97f4a7c15ull;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    return x ^ x >> 31;
}

/* Sattolo's shuffle: of all permutations only those that are one cycle, each with the same
 * probability, so that no chase gets into a short circle. */
bool dapc_table_make(dapc_table *table, unsigned servers)
{
    uint64_t count = (uint64_t)servers << DAPC_PLACE_BITS;
    uint64_t *entries = malloc(count * sizeof *entries);
    if (entries == NULL)
        return false;
    for (uint64_t i = 0; i < count; i++)
        entries[i] = i;
    for (uint64_t i = count - 1; i > 0; i--) {
        uint64_t other = random_of(i) % i, entry = entries[i];
        entries[i] = entries[other];
        entries[other] = entry;
    }
    *table = (dapc_table){.entries = entries, .count = count, .servers = servers};
    return true;
}

void dapc_table_free(dapc_table *table)
{
    free(table->entries);
    *table = (dapc_table){0};
}

dapc_shard dapc_table_shard(const dapc_table *table, unsigned rank)
{
    return (dapc_shard){.entries = table->entries + ((uint64_t)rank << DAPC_PLACE_BITS),
                        .rank = rank,
                        .place_bits = DAPC_PLACE_BITS};
}

uint64_t dapc_table_start(const dapc_table *table, uint64_t number)
{
    return random_of(~number) % table->count;
}

uint64_t dapc_table_chase(const dapc_table *table, uint64_t address, uint64_t depth)
{
    while (depth-- > 0)
        address = table->entries[address];
    return address;
}
