#include "carried_delivery.h"

#include "base/error_text.h"
#include "base/logger.h"
#include "delivery/pages.h"

#include <stdlib.h>

static tci_carried_delivery *carried_of(tci_delivery *delivery)
{
    return (tci_carried_delivery *)(void *)delivery;
}

void *tci_carried_create(const tci_delivery_ops *ops, const tci_delivery_peer *peer,
                         size_t bytes, unsigned batch_ops, tci_batch_carrier carry,
                         tc_error *err)
{
    tci_carried_delivery *carried = calloc(1, bytes);
    void *ring = carried != NULL ? tci_pages_map(peer->ring_bytes) : NULL;
    uint64_t start = tci_ring_start(peer->ring_nonce);
    if (ring == NULL || !tci_frame_batches_init(&carried->batches, batch_ops, peer->ring_bytes,
                                                ops->batch_bytes, start, carry, carried)) {
        if (ring != NULL)
            tci_frame_batches_fini(&carried->batches);
        tci_pages_unmap(ring, peer->ring_bytes);
        free(carried);
        tci_error_fill(err, TC_E_NO_MEMORY, "%s: out of memory", ops->name);
        return NULL;
    }
    carried->base = (tci_delivery){.ops = ops, .ring = ring, .consumed = &carried->consumed};
    carried->link = peer->link;
    carried->ring_bytes = peer->ring_bytes;
    tci_ring_store_consumed(&carried->consumed, start);
    return carried;
}

void tci_carried_by_message(void *user, tci_batch *batch)
{
    const tci_carried_delivery *carried = user;
    uint64_t offset = tci_batch_offset(batch);
    tci_link_op *op = tci_batch_op(batch, 0);
    bool under_way;
    tc_status status =
        tci_link_send(carried->link, TCI_AM_FRAMES, (uint16_t)(offset / TCI_FRAME_GRANULE), op,
                      carried->base.ring + offset, tci_batch_bytes(batch), &under_way);
    if (status != TC_OK)
        TC_LOG(TC_LOG_DEBUG, "%s: %s", carried->base.ops->name, tc_status_text(status));
    if (!under_way)
        tci_batch_op_ended(op);
}

void tci_carried_close(tci_delivery *delivery)
{
    tci_carried_delivery *carried = carried_of(delivery);
    tci_frame_batches_fini(&carried->batches);
    tci_pages_unmap(delivery->ring, carried->ring_bytes);
    free(carried);
}

void tci_carried_push(tci_delivery *delivery, uint64_t position, uint64_t bytes)
{
    tci_frame_batches_push(&carried_of(delivery)->batches, position, bytes);
}

bool tci_carried_turn(tci_delivery *delivery)
{
    return tci_frame_batches_turn(&carried_of(delivery)->batches);
}

uint64_t tci_carried_under_way(const tci_delivery *delivery, uint64_t *made_out)
{
    const tci_carried_delivery *carried = (const tci_carried_delivery *)(const void *)delivery;
    *made_out = carried->batches.made;
    return carried->batches.made - carried->batches.submitted;
}

void tci_carried_credit(tci_delivery *delivery, uint64_t consumed, uint64_t share)
{
    tci_carried_delivery *carried = carried_of(delivery);
    tci_ring_store_consumed(&carried->consumed, consumed);
    tci_frame_batches_credit(&carried->batches, consumed, share);
}

void tci_carried_lift_share(tci_delivery *delivery)
{
    tci_frame_batches_lift_share(&carried_of(delivery)->batches);
}
