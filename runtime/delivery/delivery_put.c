/* Puts: for networks that write remote memory by themselves (RDMA). Frames are written into a
 * ring of this side's own, and delivery/put_protocol.h says how they reach the peer's. Credit
 * comes by message: to fetch the peer's count would cost a round trip.
 *
 * On shared memory and over tcp it works too, though direct and am are faster there. */
#include "delivery.h"

#include "base/error_text.h"
#include "base/logger.h"
#include "delivery/put_protocol.h"
#include "delivery/ring_segment.h"
#include "delivery/ucx_compat.h"

#include <stdlib.h>

typedef struct put_delivery {
    tci_delivery base;
    tci_link *link;
    uint64_t remote_ring;   /* where the peer's ring lies in the peer's memory */
    tci_ring_word consumed; /* what the peer's credit messages said */
    tci_put_network network;
    tci_frame_batches batches;
} put_delivery;

static put_delivery *put_of(tci_delivery *delivery)
{
    return (put_delivery *)(void *)delivery;
}

static tc_status ucx_put(void *user, uint64_t offset, const void *bytes, size_t size,
                         tci_link_op *op, bool *under_way_out)
{
    put_delivery *put = user;
    return tci_link_put(put->link, put->remote_ring + offset, op, bytes, size, under_way_out);
}

static tc_status ucx_fence(void *user)
{
    put_delivery *put = user;
    return tci_link_fence(put->link);
}

static tc_status ucx_flush(void *user, tci_link_op *op, bool *under_way_out)
{
    put_delivery *put = user;
    return tci_link_flush_puts(put->link, op, under_way_out);
}

static void carry(void *user, tci_batch *batch)
{
    put_delivery *put = user;
    tc_status status = tci_put_batch(&put->network, batch);
    if (status != TC_OK)
        TC_LOG(TC_LOG_DEBUG, "put: %s", tc_status_text(status));
}

/* What UCX would do with a key to memory of this host's that is gone, it must not be asked. A
 * peer that stops between this look and the next lines still slips through. */
static tc_status check_region(const tci_delivery_peer *peer, tc_error *err)
{
    tci_segment witness;
    if (peer->rkey == NULL)
        return tci_error_set(err, TC_E_UNSUPPORTED, "put: the peer gave no key to its ring");
    if (!peer->same_host || peer->segment == TCI_SEGMENT_NONE)
        return TC_OK;
    TC_TRY(tci_ring_segment_attach(peer, TCI_RING_CONSUMED_OFFSET, &witness, err));
    tci_segment_detach(&witness);
    return TC_OK;
}

static tc_status put_open(const tci_delivery_peer *peer, tci_delivery **delivery_out,
                          tc_error *err)
{
    TC_TRY(check_region(peer, err));
    TC_TRY(tci_link_prepare_puts(peer->link, peer->rkey, err));
    put_delivery *put = calloc(1, sizeof *put);
    void *ring = aligned_alloc(4096, peer->ring_bytes);
    if (put == NULL || ring == NULL) {
        free(ring);
        free(put);
        return tci_error_set(err, TC_E_NO_MEMORY, "put: out of memory");
    }
    memset(ring, 0, peer->ring_bytes);
    put->base.ops = &tci_delivery_put;
    put->base.ring = ring;
    put->base.consumed = &put->consumed;
    put->link = peer->link;
    put->remote_ring = peer->ring_address + TCI_RING_DATA_OFFSET;
    put->network = (tci_put_network){.put = ucx_put,
                                     .fence = tci_ucx_fences_block() ? NULL : ucx_fence,
                                     .flush = ucx_flush,
                                     .user = put,
                                     .ring = ring};
    uint64_t start = tci_ring_start(peer->ring_nonce);
    tci_ring_store_consumed(&put->consumed, start);
    tci_frame_batches_init(&put->batches, peer->ring_bytes, start, carry, put);
    *delivery_out = &put->base;
    return TC_OK;
}

static void put_close(tci_delivery *delivery)
{
    free(delivery->ring);
    free(delivery);
}

static void put_push(tci_delivery *delivery, uint64_t position, uint64_t bytes)
{
    tci_frame_batches_push(&put_of(delivery)->batches, position, bytes);
}

static bool put_turn(tci_delivery *delivery)
{
    return tci_frame_batches_turn(&put_of(delivery)->batches);
}

/* A signal that waits for a flush is overtaken; behind a fence everything has left. */
static uint64_t put_under_way(const tci_delivery *delivery, uint64_t *made_out)
{
    const put_delivery *put = (const put_delivery *)(const void *)delivery;
    *made_out = put->batches.made;
    return put->network.fence != NULL ? 0 : put->batches.made - put->batches.completed;
}

static void put_credit(tci_delivery *delivery, uint64_t consumed)
{
    tci_ring_store_consumed(&put_of(delivery)->consumed, consumed);
}

const tci_delivery_ops tci_delivery_put = {
    .name = "put",
    .wire_id = TCI_HELLO_PUT,
    .region_use = TCI_REGION_PUT,
    .open = put_open,
    .close = put_close,
    .push = put_push,
    .turn = put_turn,
    .under_way = put_under_way,
    .credit = put_credit,
};
