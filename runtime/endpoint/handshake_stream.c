/* What an endpoint's connection brings: that it is made, the peer's hello messages, its end. */
#include "base/clock.h"
#include "core/ep_state.h"
#include "core/network.h"
#include "endpoint/handshake.h"

#define MESSAGES_PER_TURN 64u

static void finish_connecting(tc_ep *ep)
{
    tc_error error = {0};
    if (ep->stream == NULL) {
        ep->core->events->retry(ep, tci_clock_ns());
        return;
    }
    tc_status status = tci_stream_connect_finish(ep->stream, &error);
    if (status == TC_E_AGAIN)
        return;
    if (status == TC_E_UNREACHABLE && ep->hs.expected_rank != TC_RANK_NONE) {
        ep->core->events->retry(ep, tci_clock_ns());
        return;
    }
    if (status == TC_OK) {
        ep->state = TCI_EP_AWAITING_HELLO;
        status = tci_core_watch(ep->core, tci_stream_fd(ep->stream), ep->connection, &error);
    }
    if (status == TC_OK && !tci_stream_is_local(ep->stream))
        status = tci_network_open(ep->core, "it connects to another host", &error);
    if (status == TC_OK) {
        status = tci_handshake_send_hello(ep, &error);
    }
    if (status != TC_OK)
        tci_ep_fail(ep, &error);
}

void tci_handshake_stream(tc_ep *ep)
{
    tci_hello_kind kind;
    const void *message;
    size_t size;
    tc_error error = {0};
    if (ep->state == TCI_EP_CONNECTING)
        finish_connecting(ep);
    if (ep->state == TCI_EP_CONNECTING || ep->state >= TCI_EP_CLOSED)
        return;
    const tc_status flushed = tci_stream_flush(ep->stream, NULL);
    (void)flushed; /* a failure shows in receive, too */
    tc_status status = tci_stream_receive(ep->stream, &kind, &message, &size, &error);
    /* Bounded, because a peer could ring for ever; epoll tells of the rest again. */
    for (unsigned n = 0; status == TC_OK && ep->state < TCI_EP_CLOSED; n++) {
        tci_handshake_message(ep, kind, message, size);
        if (n == MESSAGES_PER_TURN)
            return;
        status = tci_stream_receive(ep->stream, &kind, &message, &size, &error);
    }
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
