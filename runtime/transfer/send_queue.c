#include "transfer/send_queue.h"

#include "core/ep_state.h"

#include <stdlib.h>

static void added(tc_ep *ep)
{
    tci_ep_set_fast(ep);
    tci_pending_add(&ep->core->pending, TCI_WORK_QUEUE);
}

tci_queued *tci_send_queue_make(const tci_frame *frame)
{
    tci_queued *item = calloc(1, sizeof *item + frame->payload_size);
    if (item != NULL)
        item->frame = *frame;
    return item;
}

void tci_send_queue_append(tc_ep *ep, tci_queued *item)
{
    *ep->tx.queue_last = item;
    ep->tx.queue_last = &item->next;
    ep->tx.queue_bytes += sizeof *item + item->frame.payload_size;
    added(ep);
}

void tci_send_queue_prepend(tc_ep *ep, tci_queued *item)
{
    item->next = ep->tx.queue;
    if (ep->tx.queue == NULL)
        ep->tx.queue_last = &item->next;
    ep->tx.queue = item;
    added(ep);
}

tc_status tci_send_queue_message(tc_ep *ep, const tci_outgoing *out)
{
    const tci_frame frame = {.payload_size = (uint32_t)out->payload_size,
                             .flags = out->routed ? TCI_ROUTED : 0};
    size_t bytes = sizeof(tci_queued) + out->payload_size;
    if (ep->tx.queue_bytes + bytes > ep->core->options.send_queue_bytes)
        return TC_E_AGAIN;
    tci_queued *item = tci_send_queue_make(&frame);
    if (item == NULL)
        return TC_E_NO_MEMORY;
    tc_status status = tci_outgoing_fill(ep->core, out, item->payload);
    if (status != TC_OK) {
        free(item);
        return status;
    }
    item->fn = out->fn;
    tci_registry_retain(out->fn);
    item->with_code = out->with_code;
    tci_send_queue_append(ep, item);
    ep->core->counters[TCI_SENDS_QUEUED]++;
    return TC_OK;
}

tci_queued *tci_send_queue_pop(tc_ep *ep)
{
    tci_queued *item = ep->tx.queue;
    ep->tx.queue = item->next;
    if (ep->tx.queue == NULL)
        ep->tx.queue_last = &ep->tx.queue;
    return item;
}

void tci_send_queue_free(tc_ep *ep, tci_queued *item)
{
    if (item->frame.kind != TCI_FRAME_CONTROL)
        ep->tx.queue_bytes -= sizeof *item + item->frame.payload_size;
    if (item->fn != NULL)
        tci_registry_release(item->fn);
    free(item);
}

void tci_send_queue_clear(tc_ep *ep)
{
    while (ep->tx.queue != NULL)
        tci_send_queue_free(ep, tci_send_queue_pop(ep));
}
