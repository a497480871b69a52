/* How frames are put into a ring that the network writes but nobody maps.
 *
 * A network keeps no order among the bytes of a put, nor between two puts; a fence alone gives
 * order. So a batch travels in two puts with a fence between them: first everything but the
 * first frame's signal, then that signal. The consumer takes frames in order, so the first
 * signal guards all frames of its batch: whatever it can see of the others before, it does not
 * look at. */
#ifndef TCI_PUT_PROTOCOL_H
#define TCI_PUT_PROTOCOL_H

#include "delivery/frame_batches.h"

/* All that the protocol needs of a network: in production UCX, in tests one that reorders. */
typedef struct tci_put_network {
    /* Writes bytes to an offset of the peer's ring, in any order, at any time from now on. The
     * rules for op and the bytes are those of tci_link_send. */
    tc_status (*put)(void *user, uint64_t offset, const void *bytes, size_t size,
                     tci_link_op *op, bool *under_way_out);
    /* Every put from before arrives before any put from after. */
    tc_status (*fence)(void *user);
    void *user;
} tci_put_network;

/* Sends one batch of frames that lie in `ring`, a copy of the peer's. On an error the first
 * signal has not left, so the consumer stops in front of the batch. */
TC_MUST_CHECK tc_status tci_put_batch(const tci_put_network *network, const uint8_t *ring,
                                      tci_batch *batch);

#endif
