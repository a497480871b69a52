/* Telling a peer how far its ring was consumed. What the peer reads into it (all of a flush was
 * run, so every refusal has been said) holds only if frames that left before are there first.
 */
#include "base/clock.h"
#include "core/bell.h"
#include "core/ep.h"

static void post(tc_ep *ep, uint64_t head)
{
    tc_status status =
        tci_link_post(ep->link, TCI_AM_CREDIT, ep->peer_connection, &head, sizeof head, NULL);
    if (status == TC_OK) {
        ep->rx.published = head;
        ep->core->counters[TCI_CREDITS_SENT]++;
    }
}

/* Messages overtake the frames of some deliveries. */
static uint64_t frames_under_way(const tc_ep *ep, uint64_t *made_out)
{
    const tci_delivery *delivery = ep->delivery;
    if (delivery == NULL || delivery->ops->under_way == NULL)
        return 0;
    return delivery->ops->under_way(delivery, made_out);
}

void tci_ep_give_credit(tc_ep *ep)
{
    uint64_t made;
    if (ep->peer_delivery == TCI_HELLO_DIRECT) {
        tci_consumer_publish(&ep->rx);
        tci_bell_after_credit(ep);
    } else if (ep->credit.due) {
        ep->credit.again = true;
    } else if (frames_under_way(ep, &made) > 0) {
        ep->credit.due = true;
        ep->core->attention |= TCI_CHORES;
        ep->credit.mark = made;
        ep->credit.head = ep->rx.head;
    } else {
        post(ep, ep->rx.head);
    }
}

bool tci_ep_credit_may_leave(const tc_ep *ep)
{
    uint64_t made;
    if (!ep->credit.due)
        return false;
    uint64_t under_way = frames_under_way(ep, &made);
    return under_way == 0 || made - under_way >= ep->credit.mark;
}

void tci_ep_give_due_credit(tc_ep *ep)
{
    bool again = ep->credit.again;
    post(ep, ep->credit.head);
    ep->credit.due = ep->credit.again = false;
    if (again)
        tci_ep_give_credit(ep);
}

void tci_ep_let_frames_arrive(tc_ep *ep, uint64_t timeout_ns)
{
    uint64_t made;
    uint64_t deadline_ns = tci_deadline_after(timeout_ns);
    while (frames_under_way(ep, &made) > 0 && tci_link_error(ep->link, NULL) == TC_OK &&
           tci_clock_ns() < deadline_ns)
        tci_link_flush(ep->link, timeout_ns);
    ep->credit.due = ep->credit.again = false;
}
