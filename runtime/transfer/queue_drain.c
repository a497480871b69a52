/* Drains the queue in this order: control frames, the large payload under way, then messages
 * and replies. */
#include "transfer/queue_drain.h"

#include "base/assertion.h"
#include "core/ep_state.h"
#include "transfer/frame_out.h"
#include "transfer/large_send.h"
#include "transfer/send_queue.h"
#include "transfer/started.h"

/* Sends a payload of tc_send_start, or one that was queued before the largest size of a frame
 * was known. One part stays where it is; several are put together first. */
static tc_status send_large_item(tc_ep *ep, const tci_outgoing *out, tci_queued *item)
{
    tci_started *started = item->started;
    tc_status status = tci_large_send(ep, out, started == NULL || started->count != 1);
    if (status != TC_E_AGAIN || ep->tx.large == NULL)
        return status;
    TCI_INVARIANT(large_single, ep->tx.large->fn == item->fn && ep->tx.large->started == NULL);
    ep->tx.large->queued = true;
    ep->tx.large->started = started;
    item->started = NULL;
    return TC_OK;
}

static tc_status send_item(tc_ep *ep, tci_queued *item)
{
    const tci_started *started = item->started;
    TCI_INVARIANT(started_parts, started == NULL || started->count <= TC_SEND_PARTS_MAX);
    if (item->fn == NULL)
        return tci_frame_out_whole(ep, &item->frame, item->payload) ? TC_OK : TC_E_AGAIN;
    const bool with_code = item->frame.kind == TCI_FRAME_CODE;
    const size_t size = started != NULL ? started->size : item->frame.payload_size;
    const bool in_parts = started != NULL && started->count > 0;
    const tci_outgoing out = {.fn = item->fn,
                              .args = in_parts ? started->parts[0].iov_base : item->payload,
                              .args_size = size,
                              .payload_size = size,
                              .kind = with_code ? TCI_OUT_WITH_CODE : TCI_OUT_CALL,
                              .built = true,
                              .parts = started != NULL ? started->parts : NULL,
                              .part_count = started != NULL ? (uint8_t)started->count : 0,
                              .flags = item->frame.flags};
    if (ep->tx.bindings[item->fn->index] == TCI_TX_REFUSED)
        return TC_E_REFUSED; /* tc_ep_refusal reports it too */
    return size > ep->tx.payload_max ? send_large_item(ep, &out, item)
                                     : tci_frame_out_message(ep, &out);
}

/* Control frames may use the ring's reserve, and may be sent between the fragments of a
 * payload. */
static void drain_control(tc_ep *ep)
{
    while (ep->tx.queue_control != &ep->tx.queue && tci_ep_is_open(ep) &&
           send_item(ep, ep->tx.queue) == TC_OK) {
        TCI_INVARIANT(queue_control, ep->tx.queue->fn == NULL);
        tci_send_queue_free(ep, tci_send_queue_pop(ep));
    }
}

void tci_queue_drain(tc_ep *ep)
{
    drain_control(ep);
    if (ep->unconfirmed)
        return;
    while (tci_large_turn(ep) && ep->tx.queue != NULL && tci_ep_is_open(ep)) {
        tci_queued *item = ep->tx.queue;
        tc_status status = send_item(ep, item);
        if (status == TC_E_AGAIN)
            return;
        tci_send_queue_take(ep, item); /* a control frame may have been put before it */
        if (item->started != NULL)
            tci_started_end(ep->core, item->started, status);
        else if (status != TC_OK)
            ep->core->events->unsent(ep, item, status);
        item->started = NULL;
        tci_send_queue_free(ep, item);
    }
    tci_ep_set_fast(ep);
}

bool tci_queue_waits(const tc_ep *ep)
{
    return ep->tx.queue != NULL || (ep->tx.large != NULL && ep->tx.large->queued);
}

bool tci_queue_has_messages(const tc_ep *ep)
{
    return *ep->tx.queue_control != NULL;
}
