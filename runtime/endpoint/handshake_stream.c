/* Events of an endpoint's connection: connected, the peer's hello messages, its end. And the
 * table by which the files that poll, send and free endpoints reach the code that connects. */
#include "bootstrap/stream_bytes.h"
#include "core/ep_state.h"
#include "core/handshake_ops.h"
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

/* A failure to send is reported by receiving, too. */
static void write_rest(tc_ep *ep)
{
    if (ep->rx.records == NULL)
        (void)(tci_stream_flush(ep->stream, NULL) == TC_OK);
    else if (ep->link != NULL)
        (void)tci_link_turn(ep->link);
}

static void serve(tc_ep *ep)
{
    tc_error error = {0};
    if (ep->state == TCI_EP_CONNECTING)
        tci_connecting_turn(ep);
    if (ep->state == TCI_EP_CONNECTING || ep->state >= TCI_EP_CLOSED)
        return;
    write_rest(ep);
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

void tci_handshake_stream(tc_ep *ep)
{
    serve(ep);
    if ((ep->state >= TCI_EP_CLOSED || ep->peer.said_bye) && ep->stream != NULL)
        tci_core_unwatch(ep->core, tci_stream_fd(ep->stream));
}

/* --- the table --------------------------------------------------------------------------- */

static void turn(tc_ep *ep, uint64_t now_ns)
{
    tci_handshake_expire(ep, now_ns);
    /* A name with several addresses changes its descriptor while it connects. */
    if (ep->state == TCI_EP_CONNECTING)
        tci_handshake_stream(ep);
    else if (ep->stream != NULL && ep->state < TCI_EP_CLOSED)
        write_rest(ep); /* of a hello: where memory is short, a socket may take a part */
    tci_handshake_turn(ep);
}

static tc_status send_bytes(tc_ep *ep, const void *bytes, size_t size, tc_error *err)
{
    return tci_stream_send(ep->stream, bytes, size, err);
}

static tc_status flush(tc_ep *ep)
{
    return tci_stream_flush(ep->stream, NULL);
}

static void close_stream(tc_ep *ep)
{
    tci_record_in_end(ep);
    tci_stream_close(ep->stream);
}

static const tci_handshake_ops ops = {.turn = turn,
                                      .read = tci_handshake_stream,
                                      .send = send_bytes,
                                      .flush = flush,
                                      .close = close_stream};

void tci_handshake_begin(tc_ep *ep, uint64_t deadline_ns)
{
    ep->hs.ops = &ops;
    ep->hs.deadline_ns = deadline_ns;
}
