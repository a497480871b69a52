#include "core/bell.h"

#include "core/ep_message.h"

void tci_bell_ring(tc_ep *ep)
{
    ep->tx.bell_seen = tci_ring_load_bell(ep->tx.bell);
    if (ep->tx.bell_seen & TCI_BELL_FRAMES)
        tci_ep_message_bell(ep);
}

/* Only when what the peer sleeps for is consumed: each ring costs a system call here. */
void tci_bell_ring_for_credit(tc_ep *ep)
{
    if (ep->rx.ring.published >= tci_ring_load_bell_position(ep->tx.bell))
        tci_bell_ring(ep);
}
