/* Drains the queue in this order: control frames, the large payload under way, then messages
 * and replies. */
#include "transfer/queue_drain.h"

#include "core/ep_state.h"
#include "transfer/frame_out.h"
#include "transfer/large_send.h"
#include "transfer/send_queue.h"

#include <stdlib.h>
#include <string.h>

/* Sends an item that was queued before the largest size of a frame was known. */
static tc_status send_large_item(tc_ep *ep, const tci_queued *item)
{
    uint8_t *owned = malloc(item->frame.payload_size);
    if (owned == NULL)
        return TC_E_NO_MEMORY;
    memcpy(owned, item->payload, item->frame.payload_size);
    tc_status status = tci_large_send(ep, item->fn, NULL, 0, owned, item->frame.payload_size,
                                      item->frame.flags & TCI_ROUTED);
    if (status != TC_E_AGAIN || ep->tx.large == NULL)
        return status;
    ep->tx.large->queued = true;
    return TC_OK;
}

static tc_status send_item(tc_ep *ep, const tci_queued *item)
{
    if (item->fn == NULL)
        return tci_frame_out_whole(ep, &item->frame, item->payload) ? TC_OK : TC_E_AGAIN;
    const tci_outgoing out = {.fn = item->fn,
                              .args = item->payload,
                              .args_size = item->frame.payload_size,
                              .payload_size = item->frame.payload_size,
                              .routed = (item->frame.flags & TCI_ROUTED) != 0,
                              .built = true,
                              .with_code = item->with_code};
    if (ep->tx.bindings[item->fn->index] == TCI_TX_REFUSED)
        return TC_E_REFUSED; /* tc_ep_refusal reports it too */
    if (item->frame.payload_size > ep->tx.payload_max)
        return send_large_item(ep, item);
    return tci_frame_out_message(ep, &out);
}

/* Control frames may use the ring's reserve, and may be sent between the fragments of a
 * payload. */
static void drain_control(tc_ep *ep)
{
    while (ep->tx.queue_control != &ep->tx.queue && tci_ep_is_open(ep) &&
           send_item(ep, ep->tx.queue) == TC_OK)
        tci_send_queue_free(ep, tci_send_queue_pop(ep));
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
        if (status != TC_OK)
            ep->core->events->unsent(ep, item, status);
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
