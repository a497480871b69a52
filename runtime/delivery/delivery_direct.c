/* Direct: the peer's ring is mapped, and a frame is plain stores. Correct on every memory
 * model, because the last store is a release and alone states that the frame is there; as fast
 * as one UCX put. */
#include "delivery.h"

#include "base/error_text.h"
#include "ring/ring_layout.h"

#include <stdlib.h>

typedef struct direct_delivery {
    tci_delivery base;
    tci_segment segment;
} direct_delivery;

/* Explains the failure if the peer's segment shows only a ring's identity, as with
 * delivery=put. */
static tc_status explain(const tci_delivery_peer *peer, tc_status status, tc_error *err)
{
    tci_segment witness;
    if (status != TC_E_UNSUPPORTED ||
        tci_delivery_attach_ring(peer, TCI_RING_CONSUMED_OFFSET, &witness, NULL) != TC_OK)
        return status;
    tci_segment_detach(&witness);
    return tci_error_set(
        err, status,
        "delivery direct: the peer's ring cannot be mapped, since the peer has "
        "the option delivery=put, which keeps it in memory of UCX's");
}

static tc_status direct_open(const tci_delivery_peer *peer, tci_delivery **delivery_out,
                             tc_error *err)
{
    direct_delivery *direct = calloc(1, sizeof *direct);
    if (direct == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "direct: out of memory");
    tc_status status = tci_delivery_attach_ring(peer, tci_ring_region_bytes(peer->ring_bytes),
                                                &direct->segment, err);
    if (status != TC_OK) {
        free(direct);
        return explain(peer, status, err);
    }
    uint8_t *region = direct->segment.base;
    direct->base = (tci_delivery){
        .ops = &tci_delivery_direct,
        .ring = region + TCI_RING_DATA_OFFSET,
        .consumed = (const tci_ring_word *)(void *)(region + TCI_RING_CONSUMED_OFFSET),
        .doorbell = (const tci_ring_word *)(void *)(region + TCI_RING_DOORBELL_OFFSET),
    };
    tci_link_put_aside(peer->link);
    *delivery_out = &direct->base;
    return TC_OK;
}

static void direct_close(tci_delivery *delivery)
{
    direct_delivery *direct = (direct_delivery *)(void *)delivery;
    tci_segment_detach(&direct->segment);
    free(direct);
}

const tci_delivery_ops tci_delivery_direct = {
    .name = "direct",
    .wire_id = TCI_HELLO_DIRECT,
    .arrival = {.ring_is_mapped = true},
    .region_use = TCI_REGION_MAPPED,
    .open = direct_open,
    .close = direct_close,
};
