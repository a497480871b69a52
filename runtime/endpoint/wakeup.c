#include "endpoint/wakeup.h"

#include "base/assertion.h"
#include "core/credit.h"
#include "core/doorbell.h"
#include "core/ep_state.h"
#include "transfer/code_in.h"
#include "transfer/code_out.h"
#include "transfer/large_send.h"
#include "transfer/payload_in.h"
#include "transfer/payload_out.h"
#include "transfer/send_space.h"

static tci_ring_word *own_words(const tc_ep *ep)
{
    return (tci_ring_word *)(void *)(tci_region_base(ep->rx.region) + TCI_RING_DOORBELL_OFFSET);
}

/* Checks the peer's doorbell first, as a failed send may have let coalesced frames leave
 * without that check; the end of the turn makes it, but may not have run yet. Only an endpoint
 * that was used does so: two sleepers that ring without a reason would wake each other for
 * ever. */
void tci_wakeup_arm(tc_ep *ep, tci_armed *armed)
{
    if (!tci_ep_is_open(ep))
        return;
    if (ep->tx.used)
        tci_doorbell_after_frames(ep);
    if (ep->link != NULL)
        tci_link_watch_space(ep->link, true);
    armed->rung &= !ep->rx.paused; /* a paused endpoint is polled now and then */
    ep->wake.awaited = tci_send_space_awaited(ep);
    bool credit = ep->wake.awaited != UINT64_MAX;
    armed->credit_blocked |= credit;
    if (ep->rx.arrival.frames_by_message) {
        armed->rung &= !credit || ep->tx.delivery->doorbell == NULL;
        return;
    }
    if (!ep->rx.arrival.ring_is_mapped) { /* the peer cannot see our doorbell */
        armed->rung = false;
        return;
    }
    TCI_INVARIANT_IS(doorbell_step, ep->wake.doorbell % TCI_DOORBELL_STEP, ==, 0);
    armed->needs_barrier = true;
    ep->wake.doorbell += TCI_DOORBELL_STEP;
    tci_ring_store_doorbell(own_words(ep),
                            ep->wake.doorbell | TCI_DOORBELL_FRAMES |
                                (credit ? TCI_DOORBELL_CREDIT : 0),
                            ep->wake.awaited);
}

/* Stores the words without reading them, as the peer may write them too. */
void tci_wakeup_disarm(tc_ep *ep)
{
    if (ep->link != NULL)
        tci_link_watch_space(ep->link, false);
    if (!tci_ep_is_open(ep) || !ep->rx.arrival.ring_is_mapped)
        return;
    TCI_INVARIANT_IS(doorbell_step, ep->wake.doorbell % TCI_DOORBELL_STEP, ==, 0);
    ep->wake.doorbell += TCI_DOORBELL_STEP;
    tci_ring_store_doorbell(own_words(ep), ep->wake.doorbell, UINT64_MAX);
}

static bool credit_has_come(tc_ep *ep)
{
    if (ep->wake.awaited == UINT64_MAX)
        return false;
    tci_producer_refresh(&ep->tx.ring);
    return ep->tx.ring.consumed_seen >= ep->wake.awaited || ep->tx.ring.broken;
}

/* The last part of a queued payload may have left when the link was armed. A peer
 * that has refused the function has returned its credit before that, so only this check ends
 * the sleep. */
static bool payload_may_go_on(const tc_ep *ep)
{
    const tci_large_request *large = ep->tx.large;
    return large != NULL && large->queued && large->framed && tci_payload_out_may_go_on(ep);
}

bool tci_wakeup_finds_work(tc_ep *ep)
{
    if (!tci_ep_is_open(ep))
        return false;
    if (tci_sender_gathers(&ep->tx) || credit_has_come(ep) || tci_credit_may_leave(ep) ||
        tci_code_out_may_leave(ep) || payload_may_go_on(ep))
        return true;
    /* A frame at the head can wait long for code that is on its way. Behind it the peer may ask
     * for code that its own frames wait for. */
    if (ep->rx.incoming.wanted && tci_ep_has_unseen(ep))
        return true;
    bool stands = ep->rx.held || ep->rx.paused || ep->rx.loading ||
                  (ep->rx.incoming.wanted && !tci_code_in_complete(ep));
    return !stands && !tci_payload_in_stands(ep) && tci_consumer_has_frame(&ep->rx.ring);
}
