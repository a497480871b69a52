/* Computes the position at which a refused send can succeed, and reports once that it was
 * consumed. */
#include "transfer/send_space.h"

#include "transfer/large_send.h"
#include "transfer/payload_out.h"
#include "transfer/queue_drain.h"
#include "transfer/staging.h"

/* With less free space than this share (a shift) of the peer's ring, a sender may wait for
 * more. A sender that was woken for every granule would do nothing but wake up. */
#define LITTLE_SPACE_SHIFT 2

static uint64_t sooner(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

uint64_t tci_send_space_awaited(const tc_ep *ep)
{
    const tci_producer *tx = &ep->tx.ring;
    uint64_t quarter = (tx->mask + 1) >> LITTLE_SPACE_SHIFT;
    uint64_t position = UINT64_MAX;
    if (tci_producer_drained(tx))
        return UINT64_MAX;
    /* One that is announced waits for the link alone. Its credit may have come already. */
    if (ep->tx.large != NULL && !ep->tx.large->framed)
        position = sooner(tci_staging_awaited(ep), tci_payload_out_awaited(ep));
    /* A flush may have reached its target and wait for another endpoint. */
    if (ep->tx.flush_target > tx->consumed_seen)
        position = sooner(position, ep->tx.flush_target);
    if (tci_queue_waits(ep) || tx->tail + quarter > tx->limit) {
        uint64_t wanted = tx->consumed_seen + quarter;
        uint64_t reachable = wanted < tx->tail ? wanted : tx->tail;
        position = sooner(position, reachable);
    }
    return position;
}

void tci_send_space_want(tc_ep *ep)
{
    uint64_t awaited = tci_ep_is_open(ep) ? tci_send_space_awaited(ep) : UINT64_MAX;
    ep->tx.space_wanted = true;
    ep->tx.space_at = awaited != UINT64_MAX ? awaited : 0;
    ep->core->pending.credit_blocked = true;
    ep->core->pending.space_wanted = true;
}

/* An event reports an endpoint that ends or opens meanwhile. */
static bool has_space(tc_ep *ep)
{
    if (!tci_ep_takes_messages(ep) || tci_queue_waits(ep))
        return false;
    if (ep->tx.large != NULL && ep->tx.large->framed)
        return tci_payload_out_may_go_on(ep);
    tci_producer_refresh(&ep->tx.ring);
    return ep->tx.ring.consumed_seen >= ep->tx.space_at;
}

bool tci_send_space_came(tc_ep *ep)
{
    if (!ep->tx.space_wanted || !has_space(ep))
        return false;
    ep->tx.space_wanted = false;
    return true;
}

bool tci_send_space_came_to_any(tci_core *core)
{
    bool has_come = false, is_wanted = false;
    if (!core->pending.space_wanted)
        return false;
    for (tc_ep *ep = core->first; ep != NULL; ep = ep->next) {
        has_come |= tci_send_space_came(ep);
        is_wanted |= tci_send_space_is_wanted(ep);
    }
    core->pending.space_wanted = is_wanted;
    return has_come;
}
