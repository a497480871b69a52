/* What an endpoint's connection brings: that it is made, the peer's hello messages, its end. */
#include "base/clock.h"
#include "core/ep_state.h"
#include "core/network.h"
#include "endpoint/handshake.h"
#include "endpoint/record_in.h"

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

/* TC_E_AGAIN: no more has come, or is to be taken here. */
static tc_status take_messages(tc_ep *ep, tc_error *err)
{
    tci_hello_kind kind;
    const void *message;
    size_t size;
    /* Bounded, because a peer could ring for ever; epoll tells of the rest again. */
    for (unsigned n = 0; n <= MESSAGES_PER_TURN; n++) {
        TC_TRY(tci_stream_receive(ep->stream, &kind, &message, &size, err));
        tci_handshake_message(ep, kind, message, size);
        if (ep->state >= TCI_EP_CLOSED)
            return TC_E_AGAIN;
        if (ep->rx.records != NULL) /* since its HELLO */
            return tci_record_in_take(ep, err);
    }
    return TC_E_AGAIN;
}

void tci_handshake_stream(tc_ep *ep)
{
    tc_error error = {0};
    if (ep->state == TCI_EP_CONNECTING)
        finish_connecting(ep);
    if (ep->state == TCI_EP_CONNECTING || ep->state >= TCI_EP_CLOSED)
        return;
    /* A failure shows in what is received, too. */
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
