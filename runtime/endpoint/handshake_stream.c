/* Events of an endpoint's connection: connected, the peer's hello messages, its end. */
#include "bootstrap/stream_bytes.h"
#include "core/ep_state.h"
#include "endpoint/connecting.h"
#include "endpoint/handshake.h"
#include "endpoint/record_in.h"

#define MESSAGES_PER_TURN 64u

/* Handles the peer's hello messages. TC_E_AGAIN: no message is left, or no more are taken
 * here. */
static tc_status take_messages(tc_ep *ep, tc_error *err)
{
    tci_hello_kind kind;
    const void *message;
    size_t size;
    /* The loop is bounded, because a peer could send wakeups for ever. epoll reports the rest
     * again, except bytes that were read off the socket already, which are bounded too. */
    for (unsigned n = 0; n <= MESSAGES_PER_TURN || tci_stream_has_bytes(ep->stream); n++) {
        TC_TRY(tci_stream_receive(ep->stream, &kind, &message, &size, err));
        tci_handshake_message(ep, kind, message, size);
        if (ep->state >= TCI_EP_CLOSED)
            return TC_E_AGAIN;
        if (ep->rx.records != NULL) /* begun by its HELLO */
            return tci_record_in_take(ep, err);
    }
    return TC_E_AGAIN;
}

void tci_handshake_stream(tc_ep *ep)
{
    tc_error error = {0};
    if (ep->state == TCI_EP_CONNECTING)
        tci_connecting_turn(ep);
    if (ep->state == TCI_EP_CONNECTING || ep->state >= TCI_EP_CLOSED)
        return;
    /* A failure to send is reported by receiving, too. */
    if (ep->rx.records == NULL)
        (void)(tci_stream_flush(ep->stream, NULL) == TC_OK);
    else if (ep->link != NULL)
        (void)tci_link_turn(ep->link);
    tc_status status =
        ep->rx.records != NULL ? tci_record_in_take(ep, &error) : take_messages(ep, &error);
    if (status == TC_E_AGAIN || ep->state >= TCI_EP_CLOSED || ep->peer.said_bye)
        return;
    if (status == TC_E_VERSION || status == TC_E_CORRUPT) {
        tci_handshake_refuse(ep, &error);
        return;
    }
    if (status == TC_E_PEER_LOST)
        tci_error_prefix(&error, "peer lost");
    tci_ep_fail(ep, &error);
}
