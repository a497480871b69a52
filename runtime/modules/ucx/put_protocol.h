/* How frames are put into a ring that the network writes but no peer maps.
 *
 * A network keeps no order among the bytes of a put, nor between two puts. So a batch travels
 * in two puts: first everything but the first frame's signal; then that signal, behind a fence
 * or when a flush has reported that the first put has arrived. The consumer takes frames in
 * order, so the first signal guards all frames of its batch: the consumer does not look at the
 * others before it, even if parts of them are visible. This also holds for later batches, so
 * each may send its signal when it can. */
#ifndef TCI_PUT_PROTOCOL_H
#define TCI_PUT_PROTOCOL_H

#include "delivery/frame_batches.h"

/* The network as the protocol needs it: in production UCX, in tests one that reorders. */
typedef struct tci_put_network {
    /* Writes bytes to an offset of the peer's ring, in any order, at any time from now on. The
     * rules for op and the bytes are those of tci_link_send. */
    tc_status (*put)(void *user, uint64_t offset, const void *bytes, size_t size,
                     tci_link_op *op, bool *under_way_out);
    /* Makes every earlier put arrive before any later put. NULL: flush serves instead. */
    tc_status (*fence)(void *user);
    /* Ends op when every earlier put has arrived. Never blocks. The rules for op are those of
     * tci_link_flush_puts. */
    tc_status (*flush)(void *user, tci_link_op *op, bool *under_way_out);
    void *user;
    const uint8_t *ring; /* this side's copy of the peer's ring, with the frames */
} tci_put_network;

/* Sends one batch of frames. The network must not move while operations are under way. On an
 * error, and when the flush fails, the first signal does not leave, so the consumer stops in
 * front of the batch. */
TC_MUST_CHECK tc_status tci_put_batch(const tci_put_network *network, tci_batch *batch);

#endif
