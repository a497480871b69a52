/* Credit: notifying a peer how far its ring was consumed. The peer concludes from it that all
 * of a flush was run, and that every refusal was reported. This holds only if frames that left
 * earlier arrive first. */
#ifndef TCI_CREDIT_H
#define TCI_CREDIT_H

#include "core/doorbell.h"
#include "core/ep.h"

/* Publishes the consumed position in the form that the peer's delivery needs: at once, or when
 * frames that left earlier have arrived. */
void tci_credit_return(tc_ep *ep);

/* Called before a BYE, after which the peer asks for no more credit: a flush of the peer learns
 * here how much was run. Includes credit that waited for frames. Returns true if the credit
 * went by active message and has to leave before the BYE, which may take another path. */
bool tci_credit_return_last(tc_ep *ep);

/* Takes a CREDIT message of the peer, inside UCX's handler. Ignores one of another size, or one
 * that this delivery does not need; tci_ep_check_credit finds impossible counts. */
void tci_credit_take(tc_ep *ep, const uint8_t *bytes, size_t size);

/* Returns whether credit that had to wait may leave now. */
bool tci_credit_may_leave(const tc_ep *ep);
/* Sends such credit. Returns true if some still waits, under TCI_WORK_LINK. */
bool tci_credit_turn(tc_ep *ep);

/* Returns whether frames that have left have arrived, and credit has left, or neither ever
 * will: a BYE must not overtake them. */
bool tci_credit_frames_have_arrived(tc_ep *ep);

/* Returns whether a peer with a share (tci_network_share) may have used all of it: its frames
 * are consumed, and not all of them are credited. */
static inline bool tci_credit_share_is_consumed(const tc_ep *ep)
{
    return ep->rx.credit.shared && ep->rx.ring.head != ep->rx.ring.published &&
           !tci_consumer_has_frame(&ep->rx.ring);
}

/* A peer that maps the ring gets credit after each batch: it may be waiting for the last of its
 * messages, and a store costs next to nothing. Any other peer gets it when an eighth of the
 * ring is due, or its share is consumed. */
static inline void tci_credit_after_batch(tc_ep *ep)
{
    if (ep->rx.arrival.ring_is_mapped) {
        tci_consumer_publish(&ep->rx.ring);
        tci_doorbell_after_credit(ep);
    } else if (tci_consumer_credit_is_due(&ep->rx.ring) || tci_credit_share_is_consumed(ep)) {
        tci_credit_return(ep);
    }
}

#endif
