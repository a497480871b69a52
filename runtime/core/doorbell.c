#include "core/doorbell.h"

#include "core/ep_message.h"

void tci_doorbell_ring(tc_ep *ep)
{
    const uint64_t doorbell = tci_ring_load_doorbell(ep->tx.doorbell);
    if ((doorbell & TCI_DOORBELL_FRAMES) == 0 || tci_ep_message_wakeup(ep))
        ep->tx.doorbell_seen = doorbell;
    else if (tci_ep_is_open(ep))
        tci_ep_note_use(ep); /* the end of the turn tries again */
}

/* Rings only when the position that the peer sleeps for is consumed: each ring costs a system
 * call here. */
void tci_doorbell_ring_for_credit(tc_ep *ep)
{
    if (ep->rx.ring.published >= tci_ring_load_doorbell_position(ep->tx.doorbell))
        tci_doorbell_ring(ep);
}
