/* A delivery that only tests have, and the table with it in front: a program that is linked
 * with this file has this table instead of runtime/delivery/delivery_table.c.
 *
 * Frames are written into a ring of this side's own and at once copied into the peer's, which
 * is attached here; credit and the doorbell word are read there. No delivery of the library
 * carries frames and has the ring mapped. UCX carries hellos and large payloads, and no
 * frame. */
#include "base/error_text.h"
#include "delivery/delivery.h"

#include <stdlib.h>
#include <string.h>

#define WIRE_ID 200 /* no peer outside of tests gets it */

typedef struct loopback {
    tci_delivery base;
    tci_segment segment; /* the peer's region */
    uint8_t *peer_ring;
    uint64_t mask;
    uint64_t next; /* position behind the last frame seen by push */
} loopback;

static const tci_delivery_ops loopback_ops;

static tc_status loopback_open(const tci_delivery_peer *peer, tci_delivery **delivery_out,
                               tc_error *err)
{
    tci_segment segment;
    TC_TRY(
        tci_delivery_attach_ring(peer, tci_ring_region_bytes(peer->ring_bytes), &segment, err));
    loopback *l = calloc(1, sizeof *l);
    uint8_t *ring = aligned_alloc(4096, peer->ring_bytes);
    if (l == NULL || ring == NULL) {
        tci_segment_detach(&segment);
        free(ring);
        free(l);
        return tci_error_set(err, TC_E_NO_MEMORY, "loopback: out of memory");
    }
    memset(ring, 0, peer->ring_bytes);
    *l = (loopback){
        .base = {.ops = &loopback_ops,
                 .ring = ring,
                 .consumed =
                     (const tci_ring_word *)(void *)(segment.base + TCI_RING_CONSUMED_OFFSET),
                 .doorbell =
                     (const tci_ring_word *)(void *)(segment.base + TCI_RING_DOORBELL_OFFSET)},
        .segment = segment,
        .peer_ring = segment.base + TCI_RING_DATA_OFFSET,
        .mask = peer->ring_bytes - 1,
        .next = tci_ring_start(peer->ring_nonce),
    };
    *delivery_out = &l->base;
    return TC_OK;
}

static void loopback_close(tci_delivery *delivery)
{
    loopback *l = (loopback *)(void *)delivery;
    tci_segment_detach(&l->segment);
    free(l->base.ring);
    free(l);
}

static void carry(loopback *l, uint64_t position, uint64_t bytes)
{
    const uint8_t *from = l->base.ring + (position & l->mask);
    uint8_t *to = l->peer_ring + (position & l->mask);
    memcpy(to + sizeof(tci_ring_word), from + sizeof(tci_ring_word),
           bytes - sizeof(tci_ring_word));
    tci_ring_store_signal(to, tci_ring_load_signal(from));
}

static void loopback_push(tci_delivery *delivery, uint64_t position, uint64_t bytes)
{
    loopback *l = (loopback *)(void *)delivery;
    if (l->next != position) /* the producer closed a lap in between */
        carry(l, l->next, TCI_FRAME_HEADER_BYTES);
    carry(l, position, bytes);
    l->next = position + tci_frame_align(bytes);
}

static bool loopback_turn(tci_delivery *delivery)
{
    (void)delivery;
    return true;
}

static const tci_delivery_ops loopback_ops = {
    .name = "loopback",
    .wire_id = WIRE_ID,
    .arrival = {.ring_is_mapped = true},
    .region_use = TCI_REGION_MAPPED,
    .open = loopback_open,
    .close = loopback_close,
    .push = loopback_push,
    .turn = loopback_turn,
};

const tci_delivery_ops *const tci_delivery_table[] = {
    &loopback_ops,
    &tci_delivery_direct,
    NULL,
};
