/* Distributed Adaptive Pointer Chasing: a table of pointers that is spread over servers, and
 * one chase through it. Shared by the ifunc, the handler of the active messages and their
 * checks. After Three-Chains ("Bring the BitCODE"), IV-C. */
#ifndef TC_DAPC_H
#define TC_DAPC_H

#include <stdint.h>

/* A server's part of the table. An entry is the address of another; an address is the server's
 * number and, in its low bits, the index in that server's part. */
typedef struct dapc_shard {
    const uint64_t *entries;
    uint64_t rank;
    uint64_t place_bits;
} dapc_shard;

/* The rest of a chase. */
typedef struct dapc_step {
    uint64_t address;
    uint64_t depth; /* entries that are still to be loaded; 0: the address is the result */
} dapc_step;

static inline uint64_t dapc_owner(const dapc_shard *shard, uint64_t address)
{
    return address >> shard->place_bits;
}

/* As far as it goes on this server. */
static inline void dapc_walk(const dapc_shard *shard, dapc_step *step)
{
    const uint64_t *entries = shard->entries;
    uint64_t places = (uint64_t)1 << shard->place_bits;
    uint64_t address = step->address, depth = step->depth, first = shard->rank * places;
    while (depth > 0 && address - first < places) {
        address = entries[address - first];
        depth--;
    }
    step->address = address;
    step->depth = depth;
}

#endif
