#include "core/doorbell.h"

#include "core/ep_message.h"

void tci_doorbell_ring(tc_ep *ep)
{
    ep->tx.doorbell_seen = tci_ring_load_doorbell(ep->tx.doorbell);
    if (ep->tx.doorbell_seen & TCI_DOORBELL_FRAMES)
        tci_ep_message_wakeup(ep);
}

/* Only when what the peer sleeps for is consumed: each ring costs a system call here. */
void tci_doorbell_ring_for_credit(tc_ep *ep)
{
    if (ep->rx.ring.published >= tci_ring_load_doorbell_position(ep->tx.doorbell))
        tci_doorbell_ring(ep);
}
