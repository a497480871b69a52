/* Direct: the peer's ring is mapped, a frame is plain stores. Correct on every memory model,
 * because the last store is a release and nothing but it says that the frame is there; and as
 * fast as one UCX put. */
#include "delivery.h"

#include "base/error_text.h"
#include "ring/consumer.h"

#include <stdlib.h>

static tc_status direct_open(const tci_delivery_peer *peer, tci_delivery **delivery_out,
                             tc_error *err)
{
    uint8_t *region;
    if (peer->rkey == NULL)
        return tci_error_set(err, TC_E_UNSUPPORTED, "direct: the peer's ring cannot be mapped");
    TC_TRY(tci_link_map(peer->link, peer->ring_address, peer->rkey, &region, err));
    if (!tci_ring_identity_matches(region, peer->ring_bytes, peer->ring_nonce))
        return tci_error_set(err, TC_E_UNSUPPORTED,
                             "direct: the mapped memory is not the peer's ring");
    tci_delivery *delivery = calloc(1, sizeof *delivery);
    if (delivery == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "direct: out of memory");
    delivery->ops = &tci_delivery_direct;
    delivery->ring = region + TCI_RING_DATA_OFFSET;
    delivery->consumed = (const tci_ring_word *)(void *)(region + TCI_RING_CONSUMED_OFFSET);
    delivery->bell = (const tci_ring_word *)(void *)(region + TCI_RING_BELL_OFFSET);
    *delivery_out = delivery;
    return TC_OK;
}

static void direct_close(tci_delivery *delivery)
{
    free(delivery);
}

const tci_delivery_ops tci_delivery_direct = {
    .name = "direct",
    .wire_id = TCI_HELLO_DIRECT,
    .open = direct_open,
    .close = direct_close,
};
