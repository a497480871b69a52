/* Active messages: for peers that cannot map the ring. Frames are written into a ring of this
 * side's own and batches of them travel, each with the place where it belongs, so the peer's
 * ring fills exactly as a mapped one would.
 *
 * UCX pays about 6 us per message over tcp whatever its size; that is what sharing messages
 * (delivery/frame_batches.h) saves. */
#include "delivery.h"

#include "base/error_text.h"
#include "base/logger.h"
#include "delivery/frame_batches.h"

#include <stdlib.h>

typedef struct am_delivery {
    tci_delivery base;
    tci_link *link;
    uint16_t connection;
    tci_ring_word consumed; /* what the peer's credit messages said */
    tci_frame_batches batches;
} am_delivery;

static am_delivery *am_of(tci_delivery *delivery)
{
    return (am_delivery *)(void *)delivery;
}

static void carry(void *user, tci_batch *batch)
{
    am_delivery *am = user;
    uint64_t offset = tci_batch_offset(batch);
    uint32_t header = am->connection | (uint32_t)(offset / TCI_FRAME_GRANULE) << 16;
    tci_link_op *op = tci_batch_op(batch, 0, header);
    bool under_way;
    tc_status status = tci_link_send(am->link, TCI_AM_FRAMES, op, am->base.ring + offset,
                                     tci_batch_bytes(batch), &under_way);
    if (status != TC_OK)
        TC_LOG(TC_LOG_DEBUG, "am: %s", tc_status_text(status));
    if (!under_way)
        tci_batch_op_ended(op);
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
    uint64_t start = tci_ring_start(peer->ring_nonce);
    tci_ring_store_consumed(&am->consumed, start);
    tci_frame_batches_init(&am->batches, peer->ring_bytes, start, carry, am);
    *delivery_out = &am->base;
    return TC_OK;
}

static void am_close(tci_delivery *delivery)
{
    free(delivery->ring);
    free(delivery);
}

static void am_push(tci_delivery *delivery, uint64_t position, uint64_t bytes)
{
    tci_frame_batches_push(&am_of(delivery)->batches, position, bytes);
}

static bool am_turn(tci_delivery *delivery)
{
    return tci_frame_batches_turn(&am_of(delivery)->batches);
}

static void am_credit(tci_delivery *delivery, uint64_t consumed)
{
    tci_ring_store_consumed(&am_of(delivery)->consumed, consumed);
}

const tci_delivery_ops tci_delivery_am = {
    .name = "am",
    .wire_id = TCI_HELLO_AM,
    .frame_overhead_bytes = sizeof(uint32_t), /* the message's header */
    .arrival = {.frames_by_message = true},
    .region_use = TCI_REGION_MAPPED,
    .open = am_open,
    .close = am_close,
    .push = am_push,
    .turn = am_turn,
    .credit = am_credit,
};
