/* The connection itself: for peers that UCX does not reach, or must not. Batches of frames
 * travel as records, each with its offset in the ring, so the peer's ring fills like one that
 * UCX's messages fill. */
#include "delivery/carried_delivery.h"

#define RECORD_OVERHEAD_BYTES 12u /* as wire/record.h has it */
/* With its overhead a batch fills a TLS record. */
#define BATCH_BYTES (65536u - RECORD_OVERHEAD_BYTES)

static tc_status stream_open(const tci_delivery_peer *peer, tci_delivery **delivery_out,
                             tc_error *err)
{
    tci_carried_delivery *stream = tci_carried_create(
        &tci_delivery_stream, peer, sizeof *stream, 1, tci_carried_by_message, err);
    if (stream == NULL)
        return TC_E_NO_MEMORY;
    *delivery_out = &stream->base;
    return TC_OK;
}

const tci_delivery_ops tci_delivery_stream = {
    .name = "stream",
    .wire_id = TCI_HELLO_STREAM,
    .frame_overhead_bytes = RECORD_OVERHEAD_BYTES,
    .batch_bytes = BATCH_BYTES,
    .arrival = {.frames_by_message = true},
    .region_use = TCI_REGION_CLOSED,
    .link_uses = TCI_LINK_RECORDS,
    .open = stream_open,
    .close = tci_carried_close,
    .push = tci_carried_push,
    .turn = tci_carried_turn,
    .under_way = tci_carried_under_way,
    .credit = tci_carried_credit,
};
