/* Writes frames into the peer's ring at once: no function here waits or blocks.
 *
 * A frame is begun (space for it is reserved), filled and committed. tci_frame_out_put does so
 * for a frame whose parts lie in memory, tci_frame_out_message for messages of every kind. Only
 * tc_send's own short calls are written elsewhere (send.c). */
#ifndef TCI_FRAME_OUT_H
#define TCI_FRAME_OUT_H

#include "core/doorbell.h"
#include "transfer/outgoing.h"

#define TCI_CONTROL_PAYLOAD_MAX 1024u
/* Length of a lead that pays off beside any payload that may have one. */
#define TCI_LEAD_ALWAYS 64u

/* Has the delivery carry the frame that was committed last. */
static inline void tci_frame_out_push(tc_ep *ep, uint64_t position, uint64_t bytes)
{
    ep->tx.push(ep->tx.delivery, position, bytes);
    tci_ep_note_use(ep);
    /* Prefetches the line of the next frame. */
    __builtin_prefetch(tci_producer_next(&ep->tx.ring), 1);
    ep->tx.pushed_bytes += bytes + ep->tx.delivery->ops->frame_overhead_bytes;
}

/* Returns whether a frame may hold a payload with `code_size` bytes behind it; 0: no code. */
bool tci_frame_out_fits(const tc_ep *ep, size_t payload_size, size_t code_size);

/* Returns space for a frame of `bytes` behind all coalesced calls; NULL without credit. CONTROL
 * frames may use the ring's reserve. To give the space up, do nothing. */
uint8_t *tci_frame_out_begin(tc_ep *ep, tci_frame_kind kind, uint64_t bytes);
/* Publishes a frame that was begun and filled, and has the delivery carry it. */
void tci_frame_out_commit(tc_ep *ep, uint8_t *frame, uint64_t bytes, const tci_frame *header);

/* Space at the tail of a mapped ring that a running function writes to.
 *
 * Other frames leave all the same: the next one turns the held space into a padding frame,
 * which the peer skips, and goes behind it. The function may go on writing there. Until the
 * hold is released, the producer therefore learns of no further credit, so it never comes round
 * to that space again; a send that needs more finds the ring full. So a hold must not outlast a
 * turn: functions that may wait get block memory. */
typedef struct tci_frame_hold {
    uint8_t *frame; /* NULL: it was turned into padding */
    uint64_t bytes;
    const tci_ring_word *consumed; /* the consumer's, while the ring has `frozen` */
    tci_ring_word frozen;
} tci_frame_hold;

/* Holds space as tci_frame_out_begin returns it, for frames of TCI_REPLY_BYTES at least. The
 * endpoint has a frame limit above 0, and a mapped ring. NULL without credit: no hold. */
uint8_t *tci_frame_out_hold(tc_ep *ep, tci_frame_hold *hold, uint64_t bytes);
/* Ends the hold. If hold->frame is set and messages may leave, frames may be committed there
 * next. */
void tci_frame_out_release(tc_ep *ep, tci_frame_hold *hold);

/* Ends a progress turn for the endpoints that sent something in it: commits coalesced calls,
 * wakes the peers, and has the deliveries send the frames that they kept. */
void tci_frame_out_end_turns(tci_core *core);

/* Sends a message of any kind in one frame, with the code that belongs to it. TC_E_AGAIN: no
 * space. TC_E_TOO_LARGE: of INJECT, no frame holds both. TC_E_NO_MEMORY, TC_E_PAYLOAD. */
TC_MUST_CHECK tc_status tci_frame_out_message(tc_ep *ep, const tci_outgoing *out);

/* Does the same in the common case, and sets payload_size: nothing is queued, the payload is a
 * plain copy below the frame limit, the peer knows the function (of INJECT: has not refused
 * it), and the ring has space. False: tci_send_message handles every case. */
bool tci_frame_out_try(tc_ep *ep, tci_outgoing *out);

/* Binds the function at the peer if it is unknown there, without calling it. TC_E_AGAIN: no
 * space. */
TC_MUST_CHECK tc_status tci_frame_out_binding(tc_ep *ep, tc_ifunc *fn);

/* Has the next message of fn ask a peer again that has refused fn; NULL: does so for every
 * refused function. */
void tci_frame_out_retry(tc_ep *ep, const tc_ifunc *fn);

/* Has the peer make fn callable and report that. TC_E_AGAIN, TC_E_REFUSED. */
TC_MUST_CHECK tc_status tci_frame_out_prepare(tc_ep *ep, tc_ifunc *fn);

/* Sends a frame whose payload is `head` and `body`, with `code` behind it; parts of size 0 are
 * left out, and header.payload_size is set. False: no space. */
bool tci_frame_out_put(tc_ep *ep, tci_frame header, tci_span head, tci_span body,
                       tci_span code);

/* Sends a whole frame, control or reply, which does not count as a message. False: no space. */
bool tci_frame_out_whole(tc_ep *ep, const tci_frame *header, const void *payload);

/* Sends a control frame, which may use the ring's reserve, or queues it in front of all
 * messages that wait. The endpoint ends if there is no memory for it. payload_size <=
 * TCI_CONTROL_PAYLOAD_MAX. */
void tci_frame_out_control(tc_ep *ep, tci_control control, uint16_t slot, const void *payload,
                           size_t payload_size);

#endif
