/* Making endpoints. */
#include "base/assertion.h"
#include "base/error_text.h"
#include "core/ep_state.h"
#include "endpoint/ep_life.h"

#include <sodium.h>
#include <stdlib.h>

/* Stands in for the doorbell of a peer while this side cannot read the real one. */
static const tci_ring_word never_asleep[2];

tc_status tci_ep_create(tci_core *core, tci_ep_owner owner, tc_ep **ep_out, tc_error *err)
{
    tc_ep *ep = calloc(1, sizeof *ep); /* bindings' bound: functions_max */
    if (ep == NULL || (ep->tx.bindings = calloc(core->registry.capacity, 1)) == NULL) {
        free(ep);
        return tci_error_set(err, TC_E_NO_MEMORY, "endpoint: out of memory");
    }
    tc_status status = tci_core_add_connection(core, ep, &ep->connection, err);
    if (status != TC_OK) {
        free(ep->tx.bindings);
        free(ep);
        return status;
    }
    ep->core = core;
    ep->life.owner = owner;
    ep->state = TCI_EP_AWAITING_HELLO;
    randombytes_buf(&ep->token, sizeof ep->token);
    ep->tx.doorbell = never_asleep;
    ep->tx.preparing = TCI_PREPARING_NONE;
    ep->member.rank = ep->hs.expected_rank = TC_RANK_NONE;
    ep->rx.watched_at = TCI_UNWATCHED;
    ep->tx.queue_last = ep->tx.queue_control = &ep->tx.queue;
    ep->next = core->first;
    ep->previous_next = &core->first;
    TCI_INVARIANT(ep_list, ep->next == NULL || ep->next->previous_next == &core->first);
    if (ep->next != NULL)
        ep->next->previous_next = &ep->next;
    core->first = ep;
    core->handshakes++;
    tci_pending_add(&core->pending, TCI_WORK_HANDSHAKE);
    *ep_out = ep;
    return TC_OK;
}
