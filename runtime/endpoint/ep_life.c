/* Making and freeing endpoints. */
#include "endpoint/ep_life.h"

#include "base/assertion.h"
#include "core/ep_state.h"
#include "core/handshake_ops.h"
#include "core/limits.h"
#include "core/single_message.h"
#include "transfer/code_in.h"
#include "transfer/code_out.h"
#include "transfer/large_send.h"
#include "transfer/payload_in.h"
#include "transfer/payload_out.h"
#include "transfer/send_queue.h"
#include "transfer/staging.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#define CLOSE_LINK_TIMEOUT_NS 1000000000ull

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
    tci_log_ration_end(&ep->log);
    free(ep->life.error);
    free(ep->peer.gave_up);
    free(ep->tx.bindings);
    free(ep);
}
