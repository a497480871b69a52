/* Credit: telling a peer how far its ring was consumed. What the peer reads into it (all of a
 * flush was run, so every refusal has been said) holds only if frames that left before are
 * there first. */
#ifndef TCI_CREDIT_H
#define TCI_CREDIT_H

#include "core/doorbell.h"
#include "core/ep.h"

/* Publishes what was consumed, by the way that the peer's delivery needs: at once, or when
 * frames that left before have arrived. */
void tci_credit_return(tc_ep *ep);

/* Before a goodbye, after which the peer asks for no credit any more: a flush of its own learns
 * here how much was run. Credit that waited for frames goes with it. True: it went by active
 * message, and has to leave before the goodbye, which may take another way. */
bool tci_credit_return_last(tc_ep *ep);

/* A CREDIT message of the peer's, inside UCX's handler. One of another size, or one that this
 * delivery does not need, is ignored; wild counts are found by tci_ep_check_credit. */
void tci_credit_take(tc_ep *ep, const uint8_t *bytes, size_t size);

/* Whether credit that had to wait may leave now. */
bool tci_credit_may_leave(const tc_ep *ep);
/* Sends such credit. True: some still waits, under TCI_WORK_LINK. */
bool tci_credit_turn(tc_ep *ep);

/* Whether frames that have left have arrived, and credit has left, or neither ever will: a BYE
 * must not overtake them. */
bool tci_credit_frames_have_arrived(tc_ep *ep);

/* Such a peer may have sent all that it may. */
static inline bool tci_credit_share_is_consumed(const tc_ep *ep)
{
    return ep->rx.credit.shared && ep->rx.ring.head != ep->rx.ring.published &&
           !tci_consumer_has_frame(&ep->rx.ring);
}

/* A peer that maps the ring is told after each batch: it may be waiting for the last of its
 * messages, and a store costs next to nothing. Any other is told when an eighth is due. */
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
