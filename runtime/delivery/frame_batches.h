/* Batches of frames on their way from a ring of this side's own into the peer's ring: groups
 * frames, and tracks which batches are still under way. The carrier decides how a batch
 * travels.
 *
 * A transfer costs about the same whatever its size, so frames that follow each other within
 * one turn of tc_progress share one. A lone frame leaves at once.
 *
 * No copies are needed: a batch's bytes stay untouched until the peer's credit comes back,
 * which is after their arrival. */
#ifndef TCI_FRAME_BATCHES_H
#define TCI_FRAME_BATCHES_H

#include "delivery/link.h"

#define TCI_BATCH_COUNT 64u /* at most; they are made when they are needed */
#define TCI_BATCH_OPS_MAX 3u

typedef struct tci_frame_batches tci_frame_batches;

/* Whole frames that follow each other in one lap. */
typedef struct tci_batch {
    tci_frame_batches *owner;
    struct tci_batch *next; /* by age, or of the unused ones; bound: TCI_BATCH_COUNT */
    uint64_t start;         /* positions in the ring; a multiple of TCI_FRAME_GRANULE */
    uint64_t end;           /* of the last frame, unaligned: padding does not travel */
    unsigned pending;       /* operations under way, and the carrier's call */
    const struct tci_put_network *network; /* for modules/ucx/put_protocol.c only */
    tci_link_op ops[];                     /* as many as tci_frame_batches_init says */
} tci_batch;

/* Sends a batch, never blocks. Each operation that it starts comes from tci_batch_op. Not
 * called again before it returns. A batch that fails to leave is lost, and so is the link. */
typedef void (*tci_batch_carrier)(void *user, tci_batch *batch);

struct tci_frame_batches {
    /* Needed to add a frame to the open batch. */
    uint64_t next;       /* position behind the last frame seen by push */
    uint64_t open_limit; /* the position up to which it may grow; 0: no batch is open */
    tci_batch *open;
    tci_batch_carrier carry;
    void *user;
    uint64_t ring_bytes;
    uint64_t batch_bytes;
    bool sent_this_turn;
    uint64_t made; /* batches are numbered in their order */
    uint64_t submitted;
    uint64_t completed;
    tci_batch *oldest;  /* of those that are made and not completed; `open` is the newest */
    tci_batch *waiting; /* the first of them that is not submitted */
    tci_batch *unused;  /* the one used last comes first: it is in the cache */
    unsigned count;     /* of all */
    unsigned ops;       /* of each */
    /* Counts of submitted batches: those that the peer has reported as read, and the unread
     * ones that it allows. `ends` has the positions at which the last TCI_BATCH_COUNT of them
     * end, without their upper halves. */
    uint64_t consumed;
    uint64_t share;
    uint32_t ends[TCI_BATCH_COUNT];
};

/* Prepares batches of `ops` operations each. ring_bytes: a power of two; batch_bytes: the size
 * up to which a batch grows, though a frame may be larger. Returns false when there is no
 * memory. */
bool tci_frame_batches_init(tci_frame_batches *b, unsigned ops, uint64_t ring_bytes,
                            uint64_t batch_bytes, uint64_t start, tci_batch_carrier carry,
                            void *user);
/* Frees the batches, also after an init that failed. None of their operations is under way. */
void tci_frame_batches_fini(tci_frame_batches *b);

/* Adds a frame of `bytes` committed at `position`, perhaps behind one that closed a lap. */
void tci_frame_batches_push(tci_frame_batches *b, uint64_t position, uint64_t bytes);

/* Takes the peer's credit: it has read up to `position`, and allows `share` batches that it has
 * not read; 0: any number. */
void tci_frame_batches_credit(tci_frame_batches *b, uint64_t position, uint64_t share);

/* Sends batches beyond the share, until the next credit. */
void tci_frame_batches_lift_share(tci_frame_batches *b);

/* Called once per tc_progress: sends the batches that push kept. False: the next tc_progress
 * has to call again. */
bool tci_frame_batches_turn(tci_frame_batches *b);

/* For carriers: returns the operation `which` of this batch, counted as under way, ready for
 * the link. If the operation is not under way after all, the carrier ends it with
 * tci_batch_op_ended. */
tci_link_op *tci_batch_op(tci_batch *batch, unsigned which);
void tci_batch_op_ended(tci_link_op *op);

/* tci_batch_offset returns the offset in the ring at which a batch starts, tci_batch_bytes its
 * size. */
static inline uint64_t tci_batch_offset(const tci_batch *batch)
{
    return batch->start & (batch->owner->ring_bytes - 1);
}

static inline size_t tci_batch_bytes(const tci_batch *batch)
{
    return (size_t)(batch->end - batch->start);
}

#endif
