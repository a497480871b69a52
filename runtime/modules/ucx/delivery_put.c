/* Puts: for networks that write remote memory by themselves (RDMA). Frames are written into a
 * ring of this side's own, and modules/ucx/put_protocol.h describes how they reach the peer's.
 * Credit arrives by message: fetching the peer's count would cost a round trip.
 *
 * Puts also work on shared memory, though direct is faster there. Over tcp UCX would emulate
 * puts by messages; there they are refused (ucx_compat.h). */
#include "delivery/carried_delivery.h"

#include "base/error_text.h"
#include "base/logger.h"
#include "base/shared_mappings.h"
#include "delivery/delivery.h"
#include "modules/ucx/link_puts.h"
#include "modules/ucx/put_key.h"
#include "modules/ucx/put_protocol.h"
#include "modules/ucx/ucx_rdma.h"
#include "modules/ucx/ucx_region.h"
#include "modules/ucx/ucx_deliveries.h"
#include "ring/consumer.h"

#include <inttypes.h>
#include <unistd.h>

typedef struct put_delivery {
    tci_carried_delivery carried;
    uint64_t remote_ring; /* address of the peer's ring in the peer's memory */
    tci_put_network network;
} put_delivery;

static tc_status ucx_put(void *user, uint64_t offset, const void *bytes, size_t size,
                         tci_link_op *op, bool *under_way_out)
{
    put_delivery *put = user;
    return tci_link_put(put->carried.link, put->remote_ring + offset, op, bytes, size,
                        under_way_out);
}

static tc_status ucx_fence(void *user)
{
    put_delivery *put = user;
    return tci_link_fence(put->carried.link);
}

static tc_status ucx_flush(void *user, tci_link_op *op, bool *under_way_out)
{
    put_delivery *put = user;
    return tci_link_flush_puts(put->carried.link, op, under_way_out);
}

static void carry(void *user, tci_batch *batch)
{
    put_delivery *put = user;
    tc_status status = tci_put_batch(&put->network, batch);
    if (status != TC_OK)
        TC_LOG(TC_LOG_DEBUG, "put: %s", tc_status_text(status));
}

/* Refuses a key to memory of this host that is gone: UCX must not get such a key. A peer that
 * ends between this check and the next lines still goes undetected. */
static tc_status check_region(const tci_delivery_peer *peer, tc_error *err)
{
    tci_segment witness;
    if (peer->rkey == NULL)
        return tci_error_set(
            err, TC_E_UNSUPPORTED,
            "put: the peer gave no key to its ring: its option delivery has to "
            "be put, too");
    if (!peer->same_host || peer->segment == TCI_SEGMENT_NONE)
        return TC_OK;
    TC_TRY(tci_delivery_attach_ring(peer, TCI_RING_CONSUMED_OFFSET, &witness, err));
    tci_segment_detach(&witness);
    return TC_OK;
}

static bool is_ring(uint64_t region, uint32_t ring_bytes, uint64_t nonce)
{
    _Alignas(tci_ring_word) uint8_t identity[TCI_RING_CONSUMED_OFFSET];
    uint8_t last;
    return tci_shared_mappings_peek(region, identity, sizeof identity) &&
           tci_consumer_identity_matches(identity, ring_bytes, nonce) &&
           tci_shared_mappings_peek(region + tci_ring_region_bytes(ring_bytes) - 1, &last, 1);
}

/* Returns whether the ring is this process's own: UCX 1.18 makes no new mapping for a ring that
 * UCX itself has made in this process. Such a ring is one of this context, or shared memory and
 * so a mapping of its own. */
static bool is_own(const tci_delivery_peer *peer, const tci_shared_mappings *before,
                   uint64_t here)
{
    const tci_link_ends ends = tci_link_ends_of(peer->link);
    const size_t bytes = tci_ring_region_bytes(peer->ring_bytes);
    return here == peer->ring_address && ends.peer_pid == getpid() &&
           (tci_ucx_region_begins(ends.worker, here, bytes) ||
            tci_shared_mappings_begin(before, here, bytes));
}

/* Memory that UCX has mapped here is written by this process itself, and at an address that the
 * peer chose. So the whole region has to lie in the memory that UCX has attached for the key,
 * and has to be the ring. */
static tc_status check_mapped(const tci_delivery_peer *peer, const tci_shared_mappings *before,
                              tc_error *err)
{
    uint64_t here = (uintptr_t)tci_link_mapped_here(peer->link, peer->ring_address);
    if (here == 0)
        return TC_OK;
    if (!is_own(peer, before, here) &&
        !tci_shared_mappings_added(before, here, tci_ring_region_bytes(peer->ring_bytes)))
        return tci_error_set(err, TC_E_UNSUPPORTED,
                             "put: the peer's ring of %" PRIu32 " bytes at 0x%" PRIx64
                             " lies outside the shared memory that its key is to",
                             peer->ring_bytes, peer->ring_address);
    if (!is_ring(here, peer->ring_bytes, peer->ring_nonce))
        return tci_error_set(err, TC_E_UNSUPPORTED,
                             "put: the shared memory at the peer's 0x%" PRIx64
                             " does not begin as its ring of %" PRIu32 " bytes",
                             peer->ring_address, peer->ring_bytes);
    return TC_OK;
}

/* Returns whether UCX may emulate puts by messages. If UCX neither has the memory mapped nor
 * can name the carrier of puts, an adapter of this machine is assumed to carry them. */
static bool may_be_emulated(const tci_delivery_peer *peer)
{
    if (tci_link_mapped_here(peer->link, peer->ring_address) != NULL)
        return false;
    return tci_ucx_rdma_can_be_told() ? !tci_link_puts_by_rdma(peer->link)
                                      : !tci_ucx_rdma_is_here();
}

static tc_status check_carrier(const tci_delivery_peer *peer, tc_error *err)
{
    if (!may_be_emulated(peer))
        return TC_OK;
    return tci_error_set(
        err, TC_E_UNSUPPORTED,
        "delivery put: no RDMA adapter carries it to this peer, and where UCX "
        "emulates puts by messages a sender that dies can end the process that "
        "gets them; delivery am is faster there");
}

static tc_status prepare(const tci_delivery_peer *peer, tc_error *err)
{
    tci_shared_mappings before;
    if (!tci_shared_mappings_list(&before))
        return tci_error_set(
            err, TC_E_UNSUPPORTED,
            "put: /proc/self/maps cannot be read, which says where UCX has the "
            "peer's ring");
    tc_status status = tci_link_prepare_puts(peer->link, peer->rkey, peer->rkey_size, err);
    if (status == TC_OK)
        status = check_mapped(peer, &before, err);
    if (status == TC_OK)
        status = check_carrier(peer, err);
    tci_shared_mappings_free(&before);
    return status;
}

static bool put_suits(const tci_delivery_peer *peer)
{
    return peer->rkey != NULL && tci_link_puts_by_rdma(peer->link);
}

static tc_status put_open(const tci_delivery_peer *peer, tci_delivery **delivery_out,
                          tc_error *err)
{
    TC_TRY(check_region(peer, err));
    TC_TRY(tci_put_key_check(peer, err));
    TC_TRY(prepare(peer, err));
    put_delivery *put =
        tci_carried_create(&tci_delivery_put, peer, sizeof *put, TCI_BATCH_OPS_MAX, carry, err);
    if (put == NULL)
        return TC_E_NO_MEMORY;
    put->remote_ring = peer->ring_address + TCI_RING_DATA_OFFSET;
    put->network = (tci_put_network){.put = ucx_put,
                                     .fence = tci_ucx_fences_block() ? NULL : ucx_fence,
                                     .flush = ucx_flush,
                                     .user = put,
                                     .ring = put->carried.base.ring};
    *delivery_out = &put->carried.base;
    return TC_OK;
}

/* A signal that waits for a flush may be overtaken; behind a fence everything has left. */
static uint64_t put_under_way(const tci_delivery *delivery, uint64_t *made_out)
{
    const put_delivery *put = (const put_delivery *)(const void *)delivery;
    const tci_frame_batches *batches = &put->carried.batches;
    if (put->network.fence != NULL)
        return tci_carried_under_way(delivery, made_out);
    *made_out = batches->made;
    return batches->made - batches->completed;
}

const tci_delivery_ops tci_delivery_put = {
    .name = "put",
    .wire_id = TCI_HELLO_PUT,
    .batch_bytes = 8000,
    .region_use = TCI_REGION_PUT,
    .link_uses = TCI_LINK_PUTS,
    .suits = put_suits,
    .open = put_open,
    .close = tci_carried_close,
    .push = tci_carried_push,
    .turn = tci_carried_turn,
    .under_way = put_under_way,
    .credit = tci_carried_credit,
};
