#include "core/ep_message.h"

tc_status tci_ep_message_send(tc_ep *ep, const void *bytes, size_t size, tc_error *err)
{
    if (ep->stream != NULL)
        return tci_stream_send(ep->stream, bytes, size, err);
    return tci_link_post(ep->link, TCI_AM_HELLO, bytes, size, err);
}

void tci_ep_message_bye(tc_ep *ep)
{
    uint8_t bytes[TCI_HELLO_PREAMBLE_BYTES];
    size_t size;
    if (tci_hello_bye_encode(bytes, sizeof bytes, &size) == TC_OK)
        (void)tci_ep_message_send(ep, bytes, size, NULL);
}

void tci_ep_message_wakeup(tc_ep *ep)
{
    uint8_t bytes[TCI_HELLO_PREAMBLE_BYTES];
    size_t size;
    if (tci_hello_wakeup_encode(bytes, sizeof bytes, &size) == TC_OK)
        (void)tci_ep_message_send(ep, bytes, size, NULL);
}
