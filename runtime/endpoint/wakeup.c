#include "endpoint/wakeup.h"

#include "core/credit.h"
#include "core/doorbell.h"
#include "endpoint/record_in.h"
#include "transfer/code_in.h"
#include "transfer/code_out.h"
#include "transfer/payload_in.h"
#include "transfer/room.h"

static tci_ring_word *own_words(const tc_ep *ep)
{
    return (tci_ring_word *)(void *)(tci_region_base(ep->rx.region) + TCI_RING_DOORBELL_OFFSET);
}

/* A send that failed may have had coalesced frames leave without a look at the peer's doorbell;
 * the end of the turn looks, but here it may not have come. Only then: to ring for nothing, two
 * sleepers would wake each other for ever. */
void tci_wakeup_arm(tc_ep *ep, tci_armed *armed)
{
    if (!tci_ep_is_open(ep))
        return;
    if (ep->tx.used)
        tci_doorbell_after_frames(ep);
    tci_record_in_watch_room(ep, true);
    armed->rung &= !ep->rx.paused; /* it is looked at now and then */
    ep->wake.awaited = tci_room_awaited(ep);
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
    armed->needs_barrier = true;
    ep->wake.doorbell += TCI_DOORBELL_STEP;
    tci_ring_store_doorbell(own_words(ep),
                            ep->wake.doorbell | TCI_DOORBELL_FRAMES |
                                (credit ? TCI_DOORBELL_CREDIT : 0),
                            ep->wake.awaited);
}

/* The peer may write the words too, so they are never read here. */
void tci_wakeup_disarm(tc_ep *ep)
{
    tci_record_in_watch_room(ep, false);
    if (!tci_ep_is_open(ep) || !ep->rx.arrival.ring_is_mapped)
        return;
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

bool tci_wakeup_finds_work(tc_ep *ep)
{
    if (!tci_ep_is_open(ep))
        return false;
    if (ep->tx.coalesced_count > 0 || credit_has_come(ep) || tci_credit_may_leave(ep) ||
        tci_code_out_may_leave(ep))
        return true;
    /* A frame whose code is on the way can wait at the head for long. */
    bool stands = ep->rx.held || ep->rx.paused || ep->rx.loading ||
                  (ep->rx.incoming.wanted && !tci_code_in_complete(ep));
    return !stands && !tci_payload_in_stands(ep) && tci_consumer_has_frame(&ep->rx.ring);
}
