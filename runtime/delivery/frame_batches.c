/* Batches are numbered. made, submitted and completed count them; the batches from completed to
 * made are in a list, in order. */
#include "frame_batches.h"

#include "base/assertion.h"
#include "wire/frame.h"

#include <stdlib.h>
#include <string.h>

/* Batches kept for the ends of laps, where a new batch has to begin: at most two laps are in a
 * ring at once. */
#define BATCH_SPARE 4u

/* Adds a batch, if there may be one more and there is memory for it. */
static bool grow(tci_frame_batches *b)
{
    tci_batch *batch = b->count < TCI_BATCH_COUNT
                           ? malloc(sizeof *batch + b->ops * sizeof batch->ops[0])
                           : NULL;
    if (batch == NULL)
        return false;
    batch->owner = b;
    batch->next = b->unused;
    b->unused = batch;
    b->count++;
    return true;
}

bool tci_frame_batches_init(tci_frame_batches *b, unsigned ops, uint64_t ring_bytes,
                            uint64_t batch_bytes, uint64_t start, tci_batch_carrier carry,
                            void *user)
{
    memset(b, 0, offsetof(tci_frame_batches, ends));
    b->ops = ops;
    b->carry = carry;
    b->user = user;
    b->ring_bytes = ring_bytes;
    b->batch_bytes = batch_bytes;
    b->next = start;
    b->share = UINT64_MAX;
    while (b->count <= BATCH_SPARE) {
        if (!grow(b))
            return false;
    }
    return true;
}

static void free_list(tci_batch *first)
{
    while (first != NULL) {
        tci_batch *next = first->next;
        free(first);
        first = next;
    }
}

void tci_frame_batches_fini(tci_frame_batches *b)
{
    free_list(b->oldest);
    free_list(b->unused);
}

static void let_go(tci_batch *batch)
{
    tci_frame_batches *b = batch->owner;
    TCI_INVARIANT_IS(batch_pending, batch->pending, >, 0);
    batch->pending--;
    while (b->oldest != b->waiting && b->oldest->pending == 0) {
        tci_batch *completed = b->oldest;
        b->oldest = completed->next;
        completed->next = b->unused;
        b->unused = completed;
        b->completed++;
    }
}

tci_link_op *tci_batch_op(tci_batch *batch, unsigned which)
{
    TCI_INVARIANT_IS(batch_pending, batch->pending, <=, batch->owner->ops);
    TCI_INVARIANT_IS(batch_pending, which, <, batch->owner->ops);
    tci_link_op *op = &batch->ops[which];
    *op = (tci_link_op){.done = tci_batch_op_ended, .user = batch};
    batch->pending++;
    return op;
}

void tci_batch_op_ended(tci_link_op *op)
{
    let_go(op->user);
}

/* Sends the batches that wait, as long as UCX keeps up and the peer's share is not used up.
 * With too many under way, the last batch stays open and grows instead. Failures show on the
 * link, where the endpoint looks. */
static void submit(tci_frame_batches *b)
{
    TCI_INVARIANT_IS(batch_consumed, b->consumed, <=, b->submitted);
    while (b->submitted < b->made && b->submitted - b->consumed < b->share &&
           (b->submitted - b->completed < b->count - BATCH_SPARE || grow(b))) {
        tci_batch *batch = b->waiting;
        b->waiting = batch->next;
        b->ends[b->submitted++ % TCI_BATCH_COUNT] = (uint32_t)tci_frame_align(batch->end);
        TCI_INVARIANT_IS(batch_lap, batch->start, <, batch->end);
        TCI_INVARIANT_IS(batch_lap, tci_batch_offset(batch) + tci_batch_bytes(batch), <=,
                         b->ring_bytes);
        batch->pending = 1; /* so that operations that end meanwhile do not end the batch */
        b->carry(b->user, batch);
        let_go(batch);
    }
    TCI_INVARIANT_IS(batch_count, b->completed, <=, b->submitted);
    TCI_INVARIANT_IS(batch_count, b->submitted, <=, b->made);
    b->sent_this_turn = true;
    if (b->submitted == b->made)
        b->open_limit = 0;
}

static bool same_lap(const tci_frame_batches *b, uint64_t position, uint64_t other)
{
    return position / b->ring_bytes == other / b->ring_bytes;
}

/* Returns whether only the spare batches are left. */
static bool is_short(tci_frame_batches *b)
{
    while (b->count - (b->made - b->completed) <= BATCH_SPARE) {
        if (!grow(b))
            return true;
    }
    return false;
}

static bool may_join(tci_frame_batches *b, const tci_batch *open, uint64_t position,
                     uint64_t bytes)
{
    return same_lap(b, open->start, position) && tci_frame_align(open->end) == position &&
           (position + bytes - open->start <= b->batch_bytes || is_short(b));
}

/* Returns the limit of a batch that begins with a frame at `position`: the size of a batch, or
 * the end of the lap. */
static uint64_t limit_of(const tci_frame_batches *b, uint64_t position)
{
    uint64_t full = position + b->batch_bytes;
    uint64_t lap_end = (position | (b->ring_bytes - 1)) + 1;
    return full < lap_end ? full : lap_end;
}

/* Appends an unused batch, which is the open one from now on. */
static tci_batch *append(tci_frame_batches *b)
{
    tci_batch *batch = b->unused;
    TCI_INVARIANT_IS(batch_count, b->made - b->completed, <, b->count);
    b->unused = batch->next;
    batch->next = NULL;
    if (b->oldest == NULL)
        b->oldest = batch;
    else
        b->open->next = batch;
    if (b->waiting == NULL)
        b->waiting = batch;
    b->open = batch;
    b->made++;
    return batch;
}

static void add_frame(tci_frame_batches *b, uint64_t position, uint64_t bytes)
{
    if (b->made > b->submitted) {
        if (may_join(b, b->open, position, bytes)) {
            b->open->end = position + bytes;
            return;
        }
        submit(b);
    }
    TCI_INVARIANT(batch_lap, same_lap(b, position, position + bytes - 1));
    tci_batch *batch = append(b);
    batch->start = position;
    batch->end = position + bytes;
    b->open_limit = limit_of(b, position);
}

void tci_frame_batches_push(tci_frame_batches *b, uint64_t position, uint64_t bytes)
{
    TCI_INVARIANT_IS(batch_next, b->next, <=, position);
    if (b->next == position && position + bytes <= b->open_limit) {
        TCI_INVARIANT_IS(batch_next, tci_frame_align(b->open->end), ==, position);
        b->open->end = position + bytes;
        b->next = position + tci_frame_align(bytes);
        return;
    }
    if (b->next != position) /* the producer closed a lap in between */
        add_frame(b, b->next, TCI_FRAME_HEADER_BYTES);
    add_frame(b, position, bytes);
    b->next = position + tci_frame_align(bytes);
    if (!b->sent_this_turn)
        submit(b);
}

/* Compares a position with the lower half of another one, less than 2^31 away. */
static bool is_behind(uint64_t position, uint32_t lower)
{
    return (int32_t)((uint32_t)position - lower) >= 0;
}

void tci_frame_batches_credit(tci_frame_batches *b, uint64_t position, uint64_t share)
{
    if (b->submitted - b->consumed > TCI_BATCH_COUNT)
        b->consumed = b->submitted - TCI_BATCH_COUNT;
    while (b->consumed < b->submitted &&
           is_behind(position, b->ends[b->consumed % TCI_BATCH_COUNT]))
        b->consumed++;
    TCI_INVARIANT_IS(batch_consumed, b->consumed, <=, b->submitted);
    b->share = share > 0 ? share : UINT64_MAX;
}

void tci_frame_batches_lift_share(tci_frame_batches *b)
{
    b->share = UINT64_MAX;
    if (b->submitted < b->made)
        submit(b);
}

bool tci_frame_batches_turn(tci_frame_batches *b)
{
    b->sent_this_turn = false;
    if (b->submitted < b->made)
        submit(b);
    return !b->sent_this_turn && b->submitted == b->made;
}
