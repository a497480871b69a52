/* Frames on their way from a ring of this side's own into the peer's: which of them travel
 * together, and what of it is still under way. How a batch travels is its carrier's business.
 *
 * A transfer costs about the same whatever its size, so frames that follow each other within
 * one turn of tc_progress share one. A lone frame leaves at once.
 *
 * Memory needs no copies: a batch's bytes stay untouched until the peer's credit comes back,
 * and that is after their arrival. */
#ifndef TCI_FRAME_BATCHES_H
#define TCI_FRAME_BATCHES_H

#include "delivery/link.h"

#define TCI_BATCH_COUNT 64u
#define TCI_BATCH_OPS_MAX 3u

typedef struct tci_frame_batches tci_frame_batches;

/* Whole frames that follow each other in one lap. */
typedef struct tci_batch {
    tci_frame_batches *owner;
    uint64_t start;   /* positions in the ring; start is a multiple of TCI_FRAME_GRANULE */
    uint64_t end;     /* of the last frame, unaligned: padding does not travel */
    unsigned pending; /* operations under way, and the carrier's call */
    const struct tci_put_network *network; /* delivery/put_protocol.c's alone */
    tci_link_op ops[TCI_BATCH_OPS_MAX];
} tci_batch;

/* Sends a batch, never blocks. Each operation that it starts comes from tci_batch_op. Not
 * called again before it returns. A batch that fails to leave is lost, and so is the link. */
typedef void (*tci_batch_carrier)(void *user, tci_batch *batch);

struct tci_frame_batches {
    /* What a frame needs that joins the open batch. */
    uint64_t next;       /* position behind the last frame seen by push */
    uint64_t open_limit; /* the position that it may grow to; 0: none is open */
    tci_batch *open;
    tci_batch_carrier carry;
    void *user;
    uint64_t ring_bytes;
    uint64_t batch_bytes;
    bool sent_this_turn;
    uint64_t made; /* batches are numbered; (number - first) % TCI_BATCH_COUNT is the place */
    /* the next one when none was under way: what is in the cache is used again */
    uint64_t first;
    uint64_t submitted;
    uint64_t completed;
    /* Of the submitted ones: how many the peer has said that it read, and how many more may be
     * submitted. Of the last TCI_BATCH_COUNT, where they end. */
    uint64_t consumed;
    uint64_t share;
    uint64_t ends[TCI_BATCH_COUNT];
    tci_batch batches[TCI_BATCH_COUNT];
};

/* ring_bytes: a power of two; batch_bytes: what a batch grows to, though a frame may be larger. */
void tci_frame_batches_init(tci_frame_batches *b, uint64_t ring_bytes, uint64_t batch_bytes,
                            uint64_t start, tci_batch_carrier carry, void *user);

/* A frame of `bytes` was committed at `position`, perhaps behind one that closed a lap. */
void tci_frame_batches_push(tci_frame_batches *b, uint64_t position, uint64_t bytes);

/* The peer has read up to `position`, and takes `share` batches that it has not read; 0: as many
 * as there are. */
void tci_frame_batches_credit(tci_frame_batches *b, uint64_t position, uint64_t share);

/* Once per tc_progress: sends what push kept. False: the next one has to call again. */
bool tci_frame_batches_turn(tci_frame_batches *b);

/* For carriers: the operation `which` of this batch, which will be under way, ready to be
 * given to the link. An operation that turns out not to be is ended with tci_batch_op_ended. */
tci_link_op *tci_batch_op(tci_batch *batch, unsigned which);
void tci_batch_op_ended(tci_link_op *op);

/* Where in the ring a batch starts, and how many bytes it has. */
static inline uint64_t tci_batch_offset(const tci_batch *batch)
{
    return batch->start & (batch->owner->ring_bytes - 1);
}

static inline size_t tci_batch_bytes(const tci_batch *batch)
{
    return (size_t)(batch->end - batch->start);
}

#endif
