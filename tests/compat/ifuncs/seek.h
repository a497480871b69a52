/* A walk over words that several processes hold, as programs of the original's chase pointers:
 * one message at a time, which the function itself fills in and flushes. */
#ifndef SEEK_H
#define SEEK_H

#include <stddef.h>
#include <stdint.h>
#include <ucp/api/ucp.h>

#define SEEK_PEERS_MAX 3u /* the client, which is peer 0, and two servers */
#define SEEK_SHARD_WORDS 512u

typedef struct seek_args {
    uint64_t depth; /* steps that are left, from 1 */
    uint64_t at;    /* of all words */
} seek_args;

typedef struct seek_place {
    uint64_t shard, shard_count;
    const uint64_t *words; /* of this shard */
    ucp_ifunc_msg_t seek, found;
    ucp_ep_h eps[SEEK_PEERS_MAX];
    ucp_rkey_h rkeys[SEEK_PEERS_MAX];
    uint64_t slots[SEEK_PEERS_MAX];
    void (*flush)(struct seek_place *place, unsigned peer);
    void *node;
    uint64_t failed;
    uint64_t stopped;
} seek_place;

/* The word at an index of all of them, of which it is one again. */
static inline uint64_t seek_word(uint64_t at, uint64_t shard_count)
{
    return (at * 2654435761u + 12345) % (SEEK_SHARD_WORDS * shard_count);
}

#endif
