#include "put_protocol.h"

#include "base/error_text.h"

#define SIGNAL_BYTES sizeof(uint64_t)

enum { BODY_OP, SIGNAL_OP };

static tc_status put_range(const tci_put_network *network, const uint8_t *ring, uint64_t offset,
                           size_t size, tci_link_op *op)
{
    bool under_way;
    tc_status status = network->put(network->user, offset, ring + offset, size, op, &under_way);
    if (!under_way)
        tci_batch_op_ended(op);
    return status;
}

tc_status tci_put_batch(const tci_put_network *network, const uint8_t *ring, tci_batch *batch)
{
    uint64_t offset = tci_batch_offset(batch);
    TC_TRY(put_range(network, ring, offset + SIGNAL_BYTES,
                     tci_batch_bytes(batch) - SIGNAL_BYTES, tci_batch_op(batch, BODY_OP, 0)));
    TC_TRY(network->fence(network->user));
    return put_range(network, ring, offset, SIGNAL_BYTES, tci_batch_op(batch, SIGNAL_OP, 0));
}
