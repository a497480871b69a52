/* A rank that counts: its letters, its part of the table, and words gathered for each owner. */
#ifndef TC_KMER_RANK_H
#define TC_KMER_RANK_H

#include "kmer.h"

#include <tc/group.h>

#define KMER_RANKS_MAX 16u
#define KMER_BUFFERS 256u /* for each owner, at most: one is filled, others are under way */
#define KMER_BUFFERS_LEAST 4u
#define KMER_BUFFERED 4096u /* words in an owner's buffers, if they are not the least */
#define KMER_BATCH_MAX 32768u
#define KMER_OWN_BATCH 512u /* words for this rank itself, which need no message */
#define KMER_LOOK 64u       /* a rank looks for batches of others after so many words */
#define KMER_TIMEOUT_NS TC_SECONDS(60)

/* Words for one owner. */
typedef struct kmer_lane {
    uint32_t batch;
    uint64_t *words;   /* those of the buffer that is filled */
    uint32_t count;    /* in it */
    uint32_t buffer;   /* its number */
    uint64_t *buffers; /* four of the largest batch */
} kmer_lane;

typedef struct kmer_rank {
    tc_context *ctx;
    tc_group *group;
    uint32_t rank;
    uint32_t ranks;
    uint32_t length;       /* k */
    uint32_t batch;        /* words of a message */
    uint32_t buffer_count; /* of each owner, for batches of that size */
    uint32_t unlooked;     /* words sent since this rank last looked for batches of others */
    const char *letters;
    uint64_t size;
    kmer_table table;
    kmer_share share; /* for the function */
    tc_ifunc *count;
    const char *all; /* of all ranks, at rank 0 */
    uint64_t all_size;
    kmer_table whole; /* for one process, at rank 0 */
    struct kmer_am *am;
    kmer_lane lanes[KMER_RANKS_MAX];
} kmer_rank;

/* Called with a lane that has a batch. Takes the words, and calls kmer_lane_next. */
typedef bool (*kmer_full)(kmer_rank *r, uint32_t owner);

bool kmer_rank_check(tc_status status, const tc_error *err, const char *what);
bool kmer_rank_barrier(const kmer_rank *r);

/* False after a line on stderr. */
bool kmer_rank_create_lanes(kmer_rank *r);
void kmer_rank_destroy_lanes(kmer_rank *r);

static inline void kmer_lane_next(kmer_rank *r, uint32_t owner)
{
    kmer_lane *lane = &r->lanes[owner];
    lane->buffer = (lane->buffer + 1) % r->buffer_count;
    lane->words = lane->buffers + (uint64_t)lane->buffer * r->batch;
    lane->count = 0;
}

/* Called with the words of a message. True: look for batches of others, as all versions do. */
static inline bool kmer_rank_has_to_look(kmer_rank *r, uint32_t words)
{
    r->unlooked += words;
    if (r->unlooked < KMER_LOOK)
        return false;
    r->unlooked = 0;
    return true;
}

/* Hands each k-mer of this rank's letters to the lane of its owner, and at the end the lanes
 * that are not empty.
 *
 *   full  called with a lane of another rank that has a batch
 *   own   the same for this rank's own; NULL: kmer_table_add_all */
bool kmer_rank_route(kmer_rank *r, kmer_full full, kmer_full own);

/* Counts all letters at rank 0. */
bool kmer_rank_run_serial(kmer_rank *r);

/* The end of a version whose table is full. Returns false. */
bool kmer_rank_is_full(const kmer_rank *r);

/* Counts all letters given in a table, in this process. */
bool kmer_rank_count(const char *letters, uint64_t size, uint32_t length, kmer_table table);

#endif
