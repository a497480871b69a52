/* Active messages: for peers that cannot map the ring. Frames are written into a ring of this
 * side's own and travel in batches, each with its offset in the ring, so the peer's ring fills
 * exactly as a mapped one would.
 *
 * UCX needs about 6 us per message over tcp, whatever its size; sharing messages
 * (delivery/frame_batches.h) saves that cost. */
#include "delivery/carried_delivery.h"
#include "modules/ucx/ucx_deliveries.h"

static tc_status am_open(const tci_delivery_peer *peer, tci_delivery **delivery_out,
                         tc_error *err)
{
    tci_carried_delivery *am =
        tci_carried_create(&tci_delivery_am, peer, sizeof *am, 1, tci_carried_by_message, err);
    if (am == NULL)
        return TC_E_NO_MEMORY;
    *delivery_out = &am->base;
    return TC_OK;
}

const tci_delivery_ops tci_delivery_am = {
    .name = "am",
    .wire_id = TCI_HELLO_AM,
    .frame_overhead_bytes = sizeof(tci_am_header),
    .batch_bytes = 8000, /* over tcp UCX sends segments of 8 KiB */
    .arrival = {.frames_by_message = true, .queue_is_shared = true},
    .region_use = TCI_REGION_MAPPED,
    .link_uses = TCI_LINK_MESSAGES,
    .open = am_open,
    .close = tci_carried_close,
    .push = tci_carried_push,
    .turn = tci_carried_turn,
    .under_way = tci_carried_under_way,
    .credit = tci_carried_credit,
    .lift_share = tci_carried_lift_share,
};
