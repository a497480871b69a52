#include "modules/ucx/put_protocol.h"

#include "base/error_text.h"
#include "base/logger.h"

#define SIGNAL_BYTES sizeof(uint64_t)

enum { BODY_OP, SIGNAL_OP, FLUSH_OP };

static tc_status put_range(const tci_put_network *network, uint64_t offset, size_t size,
                           tci_link_op *op)
{
    bool under_way;
    tc_status status =
        network->put(network->user, offset, network->ring + offset, size, op, &under_way);
    if (!under_way)
        tci_batch_op_ended(op);
    return status;
}

static tc_status put_signal(const tci_put_network *network, tci_batch *batch)
{
    return put_range(network, tci_batch_offset(batch), SIGNAL_BYTES,
                     tci_batch_op(batch, SIGNAL_OP));
}

/* Called inside a UCX handler, which may put. The failure of a flush is the link's, and is
 * reported there. */
static void body_has_arrived(tci_link_op *op)
{
    tci_batch *batch = op->user;
    tc_status status = op->failed ? TC_OK : put_signal(batch->network, batch);
    if (status != TC_OK)
        TC_LOG(TC_LOG_DEBUG, "put: %s", tc_status_text(status));
    tci_batch_op_ended(op);
}

static tc_status signal_when_flushed(const tci_put_network *network, tci_batch *batch)
{
    tci_link_op *op = tci_batch_op(batch, FLUSH_OP);
    bool under_way;
    batch->network = network;
    op->done = body_has_arrived;
    tc_status status = network->flush(network->user, op, &under_way);
    if (status == TC_OK && !under_way)
        status = put_signal(network, batch);
    if (!under_way)
        tci_batch_op_ended(op);
    return status;
}

tc_status tci_put_batch(const tci_put_network *network, tci_batch *batch)
{
    TC_TRY(put_range(network, tci_batch_offset(batch) + SIGNAL_BYTES,
                     tci_batch_bytes(batch) - SIGNAL_BYTES, tci_batch_op(batch, BODY_OP)));
    if (network->fence == NULL)
        return signal_when_flushed(network, batch);
    TC_TRY(network->fence(network->user));
    return put_signal(network, batch);
}
