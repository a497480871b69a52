#include "bell.h"

#include "transfer/code_transfer.h"
#include "endpoint/handshake.h"
#include "transfer/landing.h"
#include "transfer/payload_transfer.h"

/* With less room than this part of the peer's ring, somebody may wait for more. */
#define LITTLE_ROOM_SHIFT 2

void tci_bell_ring(tc_ep *ep)
{
    ep->bell_seen = tci_ring_load_bell(ep->bell);
    if (ep->bell_seen & TCI_BELL_FRAMES)
        tci_handshake_bell(ep);
}

/* Only when what the peer sleeps for is consumed: each ring costs a system call here. */
void tci_bell_ring_for_credit(tc_ep *ep)
{
    if (ep->rx.published >= tci_ring_load_bell_position(ep->bell))
        tci_bell_ring(ep);
}

static tci_ring_word *own_words(const tc_ep *ep)
{
    return (tci_ring_word *)(void *)(tci_region_base(ep->region) + TCI_RING_BELL_OFFSET);
}

static uint64_t sooner(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Up to where the peer must have consumed before something that waits here can go on:
 * UINT64_MAX when nothing does. Never behind the tail, which a peer that goes on reaches. */
static uint64_t awaited_position(const tc_ep *ep)
{
    const tci_producer *tx = &ep->tx;
    uint64_t quarter = (tx->mask + 1) >> LITTLE_ROOM_SHIFT;
    uint64_t position = UINT64_MAX;
    if (tci_producer_drained(tx))
        return UINT64_MAX;
    if (ep->partial != NULL)
        position = sooner(tci_landing_awaited(ep), tci_payload_awaited(ep));
    if (ep->flush_target > 0)
        position = sooner(position, ep->flush_target);
    if (tci_ep_has_waiting(ep) || tx->tail + quarter > tx->limit) {
        uint64_t room = tx->consumed_seen + quarter;
        uint64_t reachable = room < tx->tail ? room : tx->tail;
        position = sooner(position, reachable);
    }
    return position;
}

bool tci_bell_lie_down(tc_ep *ep)
{
    if (!tci_ep_is_open(ep))
        return true;
    ep->awaited = awaited_position(ep);
    bool credit = ep->awaited != UINT64_MAX;
    if (ep->peer_delivery == TCI_HELLO_AM)
        return !credit || ep->delivery->bell == NULL;
    if (ep->peer_delivery != TCI_HELLO_DIRECT)
        return false;
    ep->own_bell += TCI_BELL_STEP;
    tci_ring_store_bell(own_words(ep),
                        ep->own_bell | TCI_BELL_FRAMES | (credit ? TCI_BELL_CREDIT : 0),
                        ep->awaited);
    return true;
}

/* The peer may write the words too, so they are never read here. */
void tci_bell_get_up(tc_ep *ep)
{
    if (!tci_ep_is_open(ep) || ep->peer_delivery != TCI_HELLO_DIRECT)
        return;
    ep->own_bell += TCI_BELL_STEP;
    tci_ring_store_bell(own_words(ep), ep->own_bell, UINT64_MAX);
}

static bool credit_has_come(tc_ep *ep)
{
    if (ep->awaited == UINT64_MAX)
        return false;
    tci_producer_refresh(&ep->tx);
    return ep->tx.consumed_seen >= ep->awaited || ep->tx.broken;
}

bool tci_bell_finds_work(tc_ep *ep)
{
    if (!tci_ep_is_open(ep))
        return false;
    if (ep->gathered > 0 || ep->peer_said_bye || credit_has_come(ep) ||
        tci_ep_credit_may_leave(ep))
        return true;
    /* A frame whose code is on the way can wait at the head for long. */
    bool stands = ep->loading || (ep->incoming.wanted && !tci_code_complete(ep));
    return !stands && !tci_payload_stands(ep) && tci_consumer_has_frame(&ep->rx);
}
