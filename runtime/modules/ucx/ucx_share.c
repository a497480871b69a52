#include "modules/ucx/ucx_share.h"

#include "modules/ucx/worker.h"

/* Slots to share. UCX's queue has at least 64 by default in every version
 * (UCX_POSIX_FIFO_SIZE); some are for other messages. */
#define PLACES 48u
#define ROUND_NS 50000000ull

static bool is_on_shared_memory(const tc_ep *ep)
{
    return ep->rx.arrival.queue_is_shared && ep->peer.pid != 0 &&
           tci_worker_shares_memory(ep->worker);
}

/* Counts a peer once in a round if it has sent an eighth of its ring since the last count. */
static void note_sender(tc_ep *ep)
{
    tci_shares *shares = &ep->core->shares;
    tci_due_credit *credit = &ep->rx.credit;
    if (shares->round < credit->next_round ||
        ep->rx.ring.head - credit->counted <= ep->rx.ring.mask >> TCI_RING_CREDIT_SHIFT)
        return;
    credit->next_round = shares->round + 1;
    credit->counted = ep->rx.ring.head;
    shares->seen++;
    if (shares->seen > shares->senders)
        shares->senders = shares->seen;
}

uint64_t tci_ucx_share_of(tc_ep *ep)
{
    if (!is_on_shared_memory(ep))
        return 0;
    note_sender(ep);
    const unsigned senders = ep->core->shares.senders;
    if (senders < 2)
        return 0;
    return senders < PLACES ? PLACES / senders : 1;
}

void tci_ucx_share_end_round(tci_core *core, uint64_t now_ns)
{
    tci_shares *shares = &core->shares;
    if (now_ns - shares->begun_ns < ROUND_NS)
        return;
    shares->begun_ns = now_ns;
    shares->round++;
    if (shares->seen < shares->senders)
        shares->senders -= (shares->senders - shares->seen + 7) / 8;
    shares->seen = 0;
}
