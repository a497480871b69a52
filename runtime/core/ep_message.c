#include "core/ep_message.h"

#include "core/handshake_ops.h"
#include "core/single_message.h"

/* Returns whether these messages go by the link. A connection that carries records carries them
 * too, in order with the records. */
static bool go_by_link(const tc_ep *ep)
{
    return ep->stream == NULL ||
           (ep->link != NULL && tci_link_carries(ep->link, TCI_LINK_RECORDS));
}

tc_status tci_ep_message_send(tc_ep *ep, const void *bytes, size_t size, tc_error *err)
{
    if (!go_by_link(ep))
        return ep->hs.ops->send(ep, bytes, size, err);
    if (ep->link == NULL)
        return tci_error_set(err, TC_E_CLOSED, "message: the link is closed");
    return tci_link_post(ep->link, TCI_AM_HELLO, bytes, size, err);
}

void tci_ep_message_bye(tc_ep *ep)
{
    uint8_t bytes[TCI_HELLO_PREAMBLE_BYTES];
    size_t size;
    if (tci_hello_bye_encode(bytes, sizeof bytes, &size) == TC_OK)
        (void)tci_ep_message_send(ep, bytes, size, NULL);
}

void tci_ep_message_give_up(tc_ep *ep, const char *why)
{
    uint8_t bytes[TCI_HELLO_MESSAGE_MAX];
    size_t size;
    if (tci_hello_refuse_encode(TC_E_TIMEOUT, why, bytes, sizeof bytes, &size) == TC_OK)
        (void)tci_ep_message_send(ep, bytes, size, NULL);
}

void tci_ep_message_flush_begin(tc_ep *ep)
{
    if (go_by_link(ep))
        tci_link_flush_begin(ep->link);
}

bool tci_ep_message_has_left(tc_ep *ep)
{
    return go_by_link(ep) ? tci_link_flush_ended(ep->link)
                          : ep->hs.ops->flush(ep) != TC_E_AGAIN;
}

bool tci_ep_message_wakeup(tc_ep *ep)
{
    uint8_t bytes[TCI_HELLO_PREAMBLE_BYTES];
    size_t size;
    if (tci_hello_wakeup_encode(bytes, sizeof bytes, &size) != TC_OK)
        return true;
    if (go_by_link(ep) && ep->link == NULL)
        return true; /* it has ended */
    if (go_by_link(ep))
        return tci_single_message_send(&ep->tx.wakeup, ep->link, TCI_AM_HELLO, bytes, size) !=
               TC_E_AGAIN;
    (void)tci_ep_message_send(ep, bytes, size, NULL);
    return true;
}
