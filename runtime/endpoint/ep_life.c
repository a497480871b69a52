/* Ending and freeing endpoints. */
#include "endpoint/ep_life.h"

#include "base/assertion.h"
#include "core/ep_state.h"
#include "core/handshake_ops.h"
#include "core/limits.h"
#include "core/usage_ops.h"
#include "core/single_message.h"
#include "core/tasks_ops.h"
#include "transfer/code_in.h"
#include "transfer/code_out.h"
#include "transfer/large_send.h"
#include "transfer/payload_in.h"
#include "transfer/payload_out.h"
#include "transfer/send_queue.h"
#include "transfer/staging.h"

#include <stdlib.h>

#define CLOSE_LINK_TIMEOUT_NS 1000000000ull

void tci_ep_notify_end(tc_ep *ep)
{
    tc_error error = {TC_E_CLOSED, "the endpoint was closed"};
    if (ep->life.ended)
        return;
    ep->life.ended = true;
    (void)tc_ep_error(ep, &error);
    ep->core->events->ended(ep, &error);
}

void tci_ep_free(tc_ep *ep)
{
    tci_ep_notify_end(ep);
    if (ep->tasks != NULL)
        ep->core->tasks->ops->finish(ep);
    tci_ep_leave_state(ep);
    if (ep->state < TCI_EP_CLOSED) /* operations that break off below cannot fail it again */
        ep->state = TCI_EP_CLOSED;
    ep->core->counters[TCI_MESSAGES_RUN] += ep->rx.run_messages;
    TCI_INVARIANT(ep_list, *ep->previous_next == ep);
    *ep->previous_next = ep->next;
    if (ep->next != NULL)
        ep->next->previous_next = ep->previous_next;
    TCI_INVARIANT(ep_connection, ep->core->by_connection[ep->connection] == ep);
    TCI_INVARIANT(watched_open, ep->rx.watched_at == TCI_UNWATCHED);
    TCI_INVARIANT(ep_used, !ep->tx.used && ep->core->used != ep);
    ep->core->by_connection[ep->connection] = NULL;
    if (ep->stream != NULL)
        ep->hs.ops->close(ep);
    if (ep->link != NULL)
        tci_link_close(ep->link, CLOSE_LINK_TIMEOUT_NS);
    ep->link = NULL;
    if (ep->tx.delivery != NULL)
        ep->tx.delivery->ops->close(ep->tx.delivery);
    if (ep->rx.region != NULL)
        tci_region_destroy(ep->rx.region);
    TCI_INVARIANT_IS(ep_ring_memory, ep->core->ring_memory, >=, ep->rx.ring_memory);
    TCI_INVARIANT_IS(ep_copy_memory, ep->core->copy_memory, >=, ep->tx.copy_memory);
    ep->core->ring_memory -= ep->rx.ring_memory;
    ep->core->copy_memory -= ep->tx.copy_memory;
    ep->core->events->freed(ep);
    tci_send_queue_clear(ep);
    tci_large_abandon(ep);
    tci_staging_fini(ep);
    tci_code_out_fini(ep);
    tci_payload_out_fini(ep);
    tci_payload_in_fini(ep);
    tci_code_in_forget(ep);
    tci_single_message_free(ep->tx.wakeup);
    tci_single_message_free(ep->rx.credit.message);
    free(ep->tx.refusal);
    tci_limits_leave(ep);
    if (TCI_HAS_USAGE && ep->usage != NULL)
        ep->core->usage->leave(ep);
    tci_log_ration_end(&ep->log);
    free(ep->life.error);
    free(ep->peer.gave_up);
    free(ep->tx.bindings);
    free(ep);
}
