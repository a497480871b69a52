/* Frames on their way into the peer's ring, at once: none of these waits or blocks. */
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
    /* The next one's line, in good time. */
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

/* The turn ends in which endpoints sent something: what was coalesced leaves, the peer is
 * woken, and the delivery sends what it kept. */
void tci_frame_out_end_turns(tci_core *core);

/* Makes a message's payload in a frame that is reserved. TC_E_PAYLOAD. */
TC_MUST_CHECK tc_status tci_frame_out_fill(tc_ep *ep, const tci_outgoing *out,
                                           uint8_t *payload);

/* Sends a message in one frame, with its function's code if the peer needs that. TC_E_AGAIN: no
 * room. TC_E_NO_MEMORY, TC_E_PAYLOAD. */
TC_MUST_CHECK tc_status tci_frame_out_message(tc_ep *ep, const tci_outgoing *out);

/* Makes sure that the peer knows the function, without calling it. TC_E_AGAIN: no room. */
TC_MUST_CHECK tc_status tci_frame_out_binding(tc_ep *ep, tc_ifunc *fn);

/* A peer that has refused fn is asked again with the next message of it; NULL: so is one that has
 * refused any. */
void tci_frame_out_retry(tc_ep *ep, const tc_ifunc *fn);

/* Has the peer make fn callable, and say so. TC_E_AGAIN, TC_E_REFUSED. */
TC_MUST_CHECK tc_status tci_frame_out_prepare(tc_ep *ep, tc_ifunc *fn);

/* Sends a whole frame, control or reply, which counts as no message. False: no room. */
bool tci_frame_out_whole(tc_ep *ep, const tci_frame *header, const void *payload);

/* Sends a control frame, or queues it in front of everything that waits: it may use the ring's
 * reserve. A frame for which there is no memory ends the endpoint. payload_size <=
 * TCI_CONTROL_PAYLOAD_MAX. */
void tci_frame_out_control(tc_ep *ep, tci_control control, uint16_t slot, const void *payload,
                           size_t payload_size);

#endif
