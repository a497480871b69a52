/* Batches are numbered. made, submitted and completed count them; the batches from completed to
 * made occupy entries of a circular array. */
#include "frame_batches.h"

#include "base/assertion.h"
#include "wire/frame.h"

#include <string.h>

/* Batches kept for the ends of laps, where a new batch has to begin: at most two laps are in a
 * ring at once. */
#define BATCH_SPARE 4u

void tci_frame_batches_init(tci_frame_batches *b, uint64_t ring_bytes, uint64_t batch_bytes,
                            uint64_t start, tci_batch_carrier carry, void *user)
{
    memset(b, 0, offsetof(tci_frame_batches, ends));
    b->carry = carry;
    b->user = user;
    b->ring_bytes = ring_bytes;
    b->batch_bytes = batch_bytes;
    b->next = start;
    b->share = UINT64_MAX;
}

static tci_batch *batch_at(tci_frame_batches *b, uint64_t number)
{
    return &b->batches[(number - b->first) % TCI_BATCH_COUNT];
}

static void let_go(tci_batch *batch)
{
    tci_frame_batches *b = batch->owner;
    TCI_INVARIANT_IS(batch_pending, batch->pending, >, 0);
    batch->pending--;
    while (b->completed < b->submitted && batch_at(b, b->completed)->pending == 0)
        b->completed++;
}

tci_link_op *tci_batch_op(tci_batch *batch, unsigned which)
{
    TCI_INVARIANT_IS(batch_pending, batch->pending, <=, TCI_BATCH_OPS_MAX);
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
    while (b->submitted < b->made &&
           b->submitted - b->completed < TCI_BATCH_COUNT - BATCH_SPARE &&
           b->submitted - b->consumed < b->share) {
        tci_batch *batch = batch_at(b, b->submitted);
        b->ends[b->submitted++ % TCI_BATCH_COUNT] = tci_frame_align(batch->end);
        TCI_INVARIANT_IS(batch_lap, batch->start, <, batch->end);
        batch->owner = b;
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

static bool may_join(const tci_frame_batches *b, const tci_batch *open, uint64_t position,
                     uint64_t bytes)
{
    uint64_t batches_left = TCI_BATCH_COUNT - (b->made - b->completed);
    return same_lap(b, open->start, position) && tci_frame_align(open->end) == position &&
           (position + bytes - open->start <= b->batch_bytes || batches_left <= BATCH_SPARE);
}

/* Returns the limit of a batch that begins with a frame at `position`: the size of a batch, or
 * the end of the lap. */
static uint64_t limit_of(const tci_frame_batches *b, uint64_t position)
{
    uint64_t full = position + b->batch_bytes;
    uint64_t lap_end = (position | (b->ring_bytes - 1)) + 1;
    return full < lap_end ? full : lap_end;
}

static void add_frame(tci_frame_batches *b, uint64_t position, uint64_t bytes)
{
    if (b->made > b->submitted) {
        tci_batch *open = batch_at(b, b->made - 1);
        if (may_join(b, open, position, bytes)) {
            open->end = position + bytes;
            return;
        }
        submit(b);
    }
    if (b->completed == b->made)
        b->first = b->made;
    TCI_INVARIANT_IS(batch_count, b->made - b->completed, <, TCI_BATCH_COUNT);
    TCI_INVARIANT(batch_lap, same_lap(b, position, position + bytes - 1));
    tci_batch *batch = batch_at(b, b->made++);
    batch->start = position;
    batch->end = position + bytes;
    b->open = batch;
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

void tci_frame_batches_credit(tci_frame_batches *b, uint64_t position, uint64_t share)
{
    if (b->submitted - b->consumed > TCI_BATCH_COUNT)
        b->consumed = b->submitted - TCI_BATCH_COUNT;
    while (b->consumed < b->submitted && b->ends[b->consumed % TCI_BATCH_COUNT] <= position)
        b->consumed++;
    TCI_INVARIANT_IS(batch_consumed, b->consumed, <=, b->submitted);
    b->share = share > 0 ? share : UINT64_MAX;
}

bool tci_frame_batches_turn(tci_frame_batches *b)
{
    b->sent_this_turn = false;
    if (b->submitted < b->made)
        submit(b);
    return !b->sent_this_turn && b->submitted == b->made;
}
