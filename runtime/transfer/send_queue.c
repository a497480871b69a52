/* A linked list with the control frames at its front. Quotas charge its bytes to the peer's
 * identity, too; a queue above either bound pauses the endpoint, and far above it ends the
 * endpoint. */
#include "transfer/send_queue.h"

#include "base/assertion.h"
#include "core/ep_state.h"
#include "core/limits.h"
#include "transfer/started.h"

#include <stdlib.h>

bool tci_send_queue_has_shrunk(const tc_ep *ep)
{
    return ep->tx.queue_bytes <= tci_send_queue_mark(ep) / 2 &&
           (ep->tx.queue_bytes == 0 ||
            tci_limits_queue_left(ep) >= ep->core->options.quota_queue_bytes / 2);
}

bool tci_send_queue_takes(const tc_ep *ep, size_t cost)
{
    return ep->tx.queue_bytes + cost <= ep->core->options.send_queue_bytes &&
           cost <= tci_limits_queue_left(ep);
}

static void added(tc_ep *ep, tci_queued *item)
{
    const size_t before = ep->tx.queue_bytes;
    ep->tx.queue_bytes += item->cost;
    TCI_INVARIANT_IS(queue_bytes, ep->tx.queue_bytes, >=, item->cost);
    TCI_INVARIANT(queue_last, *ep->tx.queue_last == NULL);
    tci_limits_queue(ep, before);
    tci_ep_set_fast(ep);
    tci_pending_add(&ep->core->pending, TCI_WORK_QUEUE);
    if (ep->tx.queue_bytes > TCI_QUEUE_SHARES_MAX * tci_send_queue_mark(ep))
        (void)tci_ep_fail_with(ep, TC_E_TOO_LARGE,
                               "%zu bytes wait for a peer that does not read, %u times the "
                               "option send_queue_bytes",
                               ep->tx.queue_bytes, TCI_QUEUE_SHARES_MAX);
    else if (ep->tx.queue_bytes > tci_send_queue_mark(ep))
        tci_ep_pause(ep);
}

tci_queued *tci_send_queue_make(const tci_frame *frame)
{
    tci_queued *item = calloc(1, sizeof *item + frame->payload_size);
    if (item == NULL)
        return NULL;
    item->frame = *frame;
    item->cost = sizeof *item + frame->payload_size;
    return item;
}

void tci_send_queue_append(tc_ep *ep, tci_queued *item)
{
    TCI_INVARIANT(queue_last, *ep->tx.queue_last == NULL);
    TCI_INVARIANT_IS(queue_item, item->cost, >=, sizeof *item);
    item->next = NULL;
    *ep->tx.queue_last = item;
    ep->tx.queue_last = &item->next;
    added(ep, item);
}

void tci_send_queue_prepend(tc_ep *ep, tci_queued *item)
{
    TCI_INVARIANT(queue_control, item->fn == NULL && item->started == NULL);
    item->next = *ep->tx.queue_control;
    *ep->tx.queue_control = item;
    ep->tx.queue_control = &item->next;
    if (item->next == NULL)
        ep->tx.queue_last = &item->next;
    added(ep, item);
}

tc_status tci_send_queue_message(tc_ep *ep, const tci_outgoing *out)
{
    const tci_frame frame = {.payload_size = (uint32_t)out->payload_size,
                             .kind = out->kind == TCI_OUT_WITH_CODE ? TCI_FRAME_CODE
                                                                    : TCI_FRAME_CALL,
                             .flags = out->flags};
    if (!tci_send_queue_takes(ep, sizeof(tci_queued) + out->payload_size))
        return TC_E_AGAIN;
    tci_queued *item = tci_send_queue_make(&frame);
    if (item == NULL)
        return TC_E_NO_MEMORY;
    tc_status status = tci_outgoing_fill(ep, out, item->payload);
    if (status != TC_OK) {
        free(item);
        return status;
    }
    item->fn = out->fn;
    tci_registry_retain(out->fn);
    tci_send_queue_append(ep, item);
    ep->core->counters[TCI_SENDS_QUEUED]++;
    return TC_OK;
}

/* The item is near the front: only control frames were put before it since it was first. */
void tci_send_queue_take(tc_ep *ep, tci_queued *item)
{
    tci_queued **link = &ep->tx.queue;
    while (*link != item) {
        TCI_INVARIANT(queue_item, *link != NULL);
        link = &(*link)->next;
    }
    *link = item->next;
    if (ep->tx.queue_last == &item->next)
        ep->tx.queue_last = link;
    if (ep->tx.queue_control == &item->next)
        ep->tx.queue_control = link;
}

tci_queued *tci_send_queue_pop(tc_ep *ep)
{
    tci_queued *item = ep->tx.queue;
    tci_send_queue_take(ep, item);
    return item;
}

void tci_send_queue_free(tc_ep *ep, tci_queued *item)
{
    const size_t before = ep->tx.queue_bytes;
    TCI_INVARIANT_IS(queue_bytes, before, >=, item->cost);
    ep->tx.queue_bytes -= item->cost;
    tci_limits_queue(ep, before);
    if (item->started != NULL)
        tci_started_end(ep->core, item->started, tci_started_reason(ep));
    if (item->fn != NULL)
        tci_registry_release(item->fn);
    free(item);
}

void tci_send_queue_clear(tc_ep *ep)
{
    while (ep->tx.queue != NULL)
        tci_send_queue_free(ep, tci_send_queue_pop(ep));
    TCI_INVARIANT_IS(queue_bytes, ep->tx.queue_bytes, ==, 0);
    TCI_INVARIANT(queue_last, ep->tx.queue_last == &ep->tx.queue);
    TCI_INVARIANT(queue_control, ep->tx.queue_control == &ep->tx.queue);
}
