/* Active messages: for peers that cannot map the ring. Frames are written into a ring of this
 * side's own and batches of them travel, each with the place where it belongs, so the peer's
 * ring fills exactly as a mapped one would.
 *
 * UCX pays about 6 us per message over tcp whatever its size; that is what sharing messages
 * (delivery/frame_batches.h) saves. */
#include "delivery/carried_delivery.h"

#include "base/error_text.h"
#include "base/logger.h"

static void carry(void *user, tci_batch *batch)
{
    const tci_carried_delivery *am = user;
    uint64_t offset = tci_batch_offset(batch);
    tci_link_op *op = tci_batch_op(batch, 0);
    bool under_way;
    tc_status status =
        tci_link_send(am->link, TCI_AM_FRAMES, (uint16_t)(offset / TCI_FRAME_GRANULE), op,
                      am->base.ring + offset, tci_batch_bytes(batch), &under_way);
    if (status != TC_OK)
        TC_LOG(TC_LOG_DEBUG, "am: %s", tc_status_text(status));
    if (!under_way)
        tci_batch_op_ended(op);
}

static tc_status am_open(const tci_delivery_peer *peer, tci_delivery **delivery_out,
                         tc_error *err)
{
    tci_carried_delivery *am =
        tci_carried_create(&tci_delivery_am, peer, sizeof *am, carry, err);
    if (am == NULL)
        return TC_E_NO_MEMORY;
    *delivery_out = &am->base;
    return TC_OK;
}

const tci_delivery_ops tci_delivery_am = {
    .name = "am",
    .wire_id = TCI_HELLO_AM,
    .frame_overhead_bytes = sizeof(tci_am_header),
    .arrival = {.frames_by_message = true},
    .region_use = TCI_REGION_MAPPED,
    .open = am_open,
    .close = tci_carried_close,
    .push = tci_carried_push,
    .turn = tci_carried_turn,
    .credit = tci_carried_credit,
};
