#include "core/credit.h"

#include "base/assertion.h"
#include "core/doorbell.h"
#include "core/network_ops.h"
#include "core/single_message.h"

/* Sends a CREDIT message. TC_E_AGAIN: it has to wait: tci_single_message_send. */
static tc_status post(tc_ep *ep, uint64_t head)
{
    if (ep->link == NULL)
        return TC_E_CLOSED; /* for a payload of an endpoint that has ended */
    const tci_am_credit credit = {.consumed = head, .share = tci_network_share(ep)};
    TC_TRY(tci_single_message_send(&ep->rx.credit.message, ep->link, TCI_AM_CREDIT, &credit,
                                   sizeof credit));
    TCI_INVARIANT_IS(credit_order, ep->rx.ring.published, <=, head);
    TCI_INVARIANT_IS(credit_order, head, <=, ep->rx.ring.head);
    ep->rx.ring.published = head;
    ep->rx.credit.shared = credit.share > 0;
    ep->core->counters[TCI_CREDITS_SENT]++;
    return TC_OK;
}

/* Returns how many batches of frames a message may still overtake, and in *made_out the number
 * of batches made. Deliveries to a mapped ring have 0. */
static uint64_t frames_under_way(const tc_ep *ep, uint64_t *made_out)
{
    const tci_delivery *delivery = ep->tx.delivery;
    if (delivery == NULL || delivery->ops->under_way == NULL)
        return 0;
    return delivery->ops->under_way(delivery, made_out);
}

/* Likewise, after the frames that wait for the end of the turn have been handed over. Among
 * them may be the refusal of a message: credit that overtook it would report that message as
 * run. */
static uint64_t frames_ahead(tc_ep *ep, uint64_t *made_out)
{
    if (frames_under_way(ep, made_out) > 0)
        (void)ep->tx.delivery->ops->turn(ep->tx.delivery);
    return frames_under_way(ep, made_out);
}

void tci_credit_return(tc_ep *ep)
{
    uint64_t made = 0;
    if (ep->rx.arrival.ring_is_mapped) {
        tci_consumer_publish(&ep->rx.ring);
        tci_doorbell_after_credit(ep);
    } else if (ep->rx.credit.due) {
        ep->rx.credit.again = true;
    } else if (frames_ahead(ep, &made) > 0 || post(ep, ep->rx.ring.head) == TC_E_AGAIN) {
        ep->rx.credit.due = true;
        tci_pending_add(&ep->core->pending, TCI_WORK_LINK);
        TCI_INVARIANT_IS(credit_mark, ep->rx.credit.mark, <=, made);
        ep->rx.credit.mark = made;
        ep->rx.credit.head = ep->rx.ring.head;
    }
}

bool tci_credit_may_leave(const tc_ep *ep)
{
    uint64_t made;
    TCI_INVARIANT(credit_again, ep->rx.credit.due || !ep->rx.credit.again);
    TCI_INVARIANT(credit_unmapped, !ep->rx.credit.due || !ep->rx.arrival.ring_is_mapped);
    if (!ep->rx.credit.due || tci_single_message_is_leaving(ep->rx.credit.message))
        return false;
    uint64_t under_way = frames_under_way(ep, &made);
    TCI_INVARIANT(credit_mark, under_way == 0 || ep->rx.credit.mark <= made);
    return under_way == 0 || made - under_way >= ep->rx.credit.mark;
}

bool tci_credit_turn(tc_ep *ep)
{
    /* Frames before it may wait for the credit of the peer, which may wait likewise. */
    if (ep->rx.credit.due && !tci_credit_may_leave(ep) &&
        ep->tx.delivery->ops->lift_share != NULL)
        ep->tx.delivery->ops->lift_share(ep->tx.delivery);
    if (tci_credit_may_leave(ep)) {
        bool again = ep->rx.credit.again;
        TCI_INVARIANT(credit_unmapped, !ep->rx.arrival.ring_is_mapped);
        TCI_INVARIANT_IS(credit_order, ep->rx.credit.head, <=, ep->rx.ring.head);
        if (post(ep, ep->rx.credit.head) == TC_E_AGAIN)
            return true;
        ep->rx.credit.due = ep->rx.credit.again = false;
        if (again)
            tci_credit_return(ep);
    }
    TCI_INVARIANT(credit_again, ep->rx.credit.due || !ep->rx.credit.again);
    return ep->rx.credit.due;
}

bool tci_credit_return_last(tc_ep *ep)
{
    ep->rx.credit.due = ep->rx.credit.again = false;
    if (ep->rx.ring.head == ep->rx.ring.published)
        return false;
    tci_credit_return(ep);
    return !ep->rx.arrival.ring_is_mapped && !ep->rx.credit.due;
}

void tci_credit_take(tc_ep *ep, const uint8_t *bytes, size_t size)
{
    tci_am_credit credit;
    if (size != sizeof credit || ep->tx.delivery == NULL ||
        ep->tx.delivery->ops->credit == NULL)
        return;
    memcpy(&credit, bytes, sizeof credit);
    ep->tx.delivery->ops->credit(ep->tx.delivery, credit.consumed, credit.share);
    ep->core->pending.activity = true;
}

bool tci_credit_frames_have_arrived(tc_ep *ep)
{
    uint64_t made;
    return (frames_under_way(ep, &made) == 0 &&
            !tci_single_message_is_leaving(ep->rx.credit.message)) ||
           tci_link_error(ep->link, NULL) != TC_OK;
}
