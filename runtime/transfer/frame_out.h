/* Writes frames into the peer's ring at once: no function here waits or blocks. */
#ifndef TCI_FRAME_OUT_H
#define TCI_FRAME_OUT_H

#include "core/doorbell.h"
#include "transfer/outgoing.h"

#define TCI_CONTROL_PAYLOAD_MAX 1024u

/* Has the delivery carry the frame that was committed last. */
static inline void tci_frame_out_push(tc_ep *ep, uint64_t position, uint64_t bytes)
{
    ep->tx.push(ep->tx.delivery, position, bytes);
    tci_ep_note_use(ep);
    /* Prefetches the line of the next frame. */
    __builtin_prefetch(tci_producer_next(&ep->tx.ring), 1);
    ep->tx.pushed_bytes += bytes + ep->tx.delivery->ops->frame_overhead_bytes;
}

/* Publishes a frame that was reserved and filled, and has the delivery carry it. */
static inline void tci_frame_out_commit(tc_ep *ep, uint8_t *frame, uint64_t bytes,
                                        const tci_frame *header)
{
    uint64_t position = ep->tx.ring.tail;
    tci_producer_commit(&ep->tx.ring, frame, bytes, tci_frame_word(header));
    if (ep->tx.push != NULL) {
        tci_frame_out_push(ep, position, bytes);
        if (header->kind != TCI_FRAME_CONTROL)
            ep->tx.message_end = ep->tx.ring.tail;
    }
    tci_doorbell_after_frames(ep);
}

/* Ends a progress turn for the endpoints that sent something in it: commits coalesced calls,
 * wakes the peers, and has the deliveries send the frames that they kept. */
void tci_frame_out_end_turns(tci_core *core);

/* Makes a message's payload in a reserved frame. TC_E_PAYLOAD. */
TC_MUST_CHECK tc_status tci_frame_out_fill(tc_ep *ep, const tci_outgoing *out,
                                           uint8_t *payload);

/* Sends a message in one frame, with its function's code if the peer needs that. TC_E_AGAIN: no
 * space. TC_E_NO_MEMORY, TC_E_PAYLOAD. */
TC_MUST_CHECK tc_status tci_frame_out_message(tc_ep *ep, const tci_outgoing *out);

/* Binds the function at the peer if it is unknown there, without calling it. TC_E_AGAIN: no
 * space. */
TC_MUST_CHECK tc_status tci_frame_out_binding(tc_ep *ep, tc_ifunc *fn);

/* Has the next message of fn ask a peer again that has refused fn; NULL: does so for every
 * refused function. */
void tci_frame_out_retry(tc_ep *ep, const tc_ifunc *fn);

/* Has the peer make fn callable and report that. TC_E_AGAIN, TC_E_REFUSED. */
TC_MUST_CHECK tc_status tci_frame_out_prepare(tc_ep *ep, tc_ifunc *fn);

/* Sends a whole frame, control or reply, which does not count as a message. False: no space. */
bool tci_frame_out_whole(tc_ep *ep, const tci_frame *header, const void *payload);

/* Sends a control frame, which may use the ring's reserve, or queues it in front of all
 * messages that wait. The endpoint ends if there is no memory for it. payload_size <=
 * TCI_CONTROL_PAYLOAD_MAX. */
void tci_frame_out_control(tc_ep *ep, tci_control control, uint16_t slot, const void *payload,
                           size_t payload_size);

#endif
