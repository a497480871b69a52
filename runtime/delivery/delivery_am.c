/* Active messages: for peers that cannot map the ring. Frames are written into a ring of this
 * side's own and ranges of it travel, each with the place where it belongs, so the peer's ring
 * fills exactly as a mapped one would.
 *
 * UCX pays about 6 us per message over tcp whatever its size, so frames that follow each other
 * within one turn of tc_progress share a message. A lone frame leaves at once.
 *
 * Memory needs no copies: a range stays untouched until the peer's credit comes back, and that
 * is after its arrival. */
#include "delivery.h"

#include "base/error_text.h"
#include "base/logger.h"

#include <stdlib.h>

/* A message grows to this; UCX over tcp sends segments of 8 KiB. A single frame may be larger.
 */
#define BATCH_BYTES 8000u
#define BATCH_COUNT 64u
/* Kept for the turns of laps, which need a batch of their own: at most two laps are in a ring
 * at once. */
#define BATCH_SPARE 4u

typedef struct batch {
    tci_link_op op; /* first, so that done finds its batch */
    uint64_t start; /* positions in the ring */
    uint64_t end;   /* of the last frame, unaligned: padding does not travel */
    bool finished;
} batch;

typedef struct am_delivery {
    tci_delivery base;
    tci_link *link;
    uint16_t connection;
    uint64_t ring_bytes;
    uint64_t next;          /* position behind the last frame seen by push */
    tci_ring_word consumed; /* what the peer's credit messages said */
    bool sent_this_turn;
    uint64_t made; /* batches are numbered; number % BATCH_COUNT is the place */
    uint64_t submitted;
    uint64_t completed;
    batch batches[BATCH_COUNT];
} am_delivery;

static am_delivery *am_of(tci_delivery *delivery)
{
    return (am_delivery *)(void *)delivery;
}

static tc_status am_open(const tci_delivery_peer *peer, tci_delivery **delivery_out,
                         tc_error *err)
{
    am_delivery *am = calloc(1, sizeof *am);
    void *ring = aligned_alloc(4096, peer->ring_bytes);
    if (am == NULL || ring == NULL) {
        free(ring);
        free(am);
        return tci_error_set(err, TC_E_NO_MEMORY, "am: out of memory");
    }
    memset(ring, 0, peer->ring_bytes);
    am->base.ops = &tci_delivery_am;
    am->base.ring = ring;
    am->base.consumed = &am->consumed;
    am->link = peer->link;
    am->connection = peer->connection;
    am->ring_bytes = peer->ring_bytes;
    *delivery_out = &am->base;
    return TC_OK;
}

static void am_close(tci_delivery *delivery)
{
    free(delivery->ring);
    free(delivery);
}

static void on_batch_done(tci_link_op *op)
{
    batch *done = (batch *)(void *)op;
    am_delivery *am = op->user;
    done->finished = true;
    while (am->completed < am->submitted && am->batches[am->completed % BATCH_COUNT].finished)
        am->completed++;
}

/* Sends the batches that wait, as long as UCX keeps up: with too many under way the last batch
 * stays open and grows instead. Failures show on the link, where the endpoint looks. */
static void submit(am_delivery *am)
{
    while (am->submitted < am->made &&
           am->submitted - am->completed < BATCH_COUNT - BATCH_SPARE) {
        batch *b = &am->batches[am->submitted % BATCH_COUNT];
        uint64_t offset = b->start & (am->ring_bytes - 1);
        bool under_way;
        b->op = (tci_link_op){
            .header = am->connection | (uint32_t)(offset / TCI_FRAME_GRANULE) << 16,
            .done = on_batch_done,
            .user = am,
        };
        b->finished = false;
        am->submitted++;
        tc_status status =
            tci_link_send(am->link, TCI_AM_FRAMES, &b->op, am->base.ring + offset,
                          (size_t)(b->end - b->start), &under_way);
        if (status != TC_OK)
            TC_LOG(TC_LOG_DEBUG, "am: %s", tc_status_text(status));
        if (!under_way)
            on_batch_done(&b->op);
    }
    am->sent_this_turn = true;
}

static bool same_lap(const am_delivery *am, uint64_t a, uint64_t b)
{
    return a / am->ring_bytes == b / am->ring_bytes;
}

static bool may_join(const am_delivery *am, const batch *open, uint64_t position,
                     uint64_t bytes)
{
    uint64_t batches_left = BATCH_COUNT - (am->made - am->completed);
    return same_lap(am, open->start, position) && tci_frame_align(open->end) == position &&
           (position + bytes - open->start <= BATCH_BYTES || batches_left <= BATCH_SPARE);
}

static void add_frame(am_delivery *am, uint64_t position, uint64_t bytes)
{
    if (am->made > am->submitted) {
        batch *open = &am->batches[(am->made - 1) % BATCH_COUNT];
        if (may_join(am, open, position, bytes)) {
            open->end = position + bytes;
            return;
        }
        submit(am);
    }
    batch *b = &am->batches[am->made++ % BATCH_COUNT];
    b->start = position;
    b->end = position + bytes;
}

static void am_push(tci_delivery *delivery, uint64_t position, uint64_t bytes)
{
    am_delivery *am = am_of(delivery);
    if (am->next != position) /* the producer closed a lap in between */
        add_frame(am, am->next, TCI_FRAME_HEADER_BYTES);
    add_frame(am, position, bytes);
    am->next = position + tci_frame_align(bytes);
    if (!am->sent_this_turn)
        submit(am);
}

static void am_turn(tci_delivery *delivery)
{
    am_delivery *am = am_of(delivery);
    am->sent_this_turn = false;
    if (am->submitted < am->made)
        submit(am);
}

static void am_credit(tci_delivery *delivery, uint64_t consumed)
{
    tci_ring_store_consumed(&am_of(delivery)->consumed, consumed);
}

const tci_delivery_ops tci_delivery_am = {
    .name = "am",
    .wire_id = TCI_HELLO_AM,
    .open = am_open,
    .close = am_close,
    .push = am_push,
    .turn = am_turn,
    .credit = am_credit,
};
