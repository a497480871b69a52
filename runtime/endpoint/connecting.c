#include "endpoint/connecting.h"

#include "base/clock.h"
#include "core/ep_state.h"
#include "core/network.h"
#include "endpoint/handshake.h"

#include <sodium.h>
#include <stdio.h>

/* For the first answer of the peer's host: longer than most networks take, and shorter than the
 * second that a kernel waits before it tries again. */
#define PATIENCE_NS 250000000ull
/* After that, once the host has answered, for the peer's HELLO. */
#define UNHEARD_NS 350000000ull

void tci_connecting_keep_identity(tc_ep *ep)
{
    (void)snprintf(ep->peer.identity, sizeof ep->peer.identity, "%s",
                   tci_stream_identity(ep->stream));
}

/* Watches the stream's descriptor once it is connected, as it stays the same from then on: the
 * peer's part of a proof may arrive soon. Returns `otherwise` unless watching fails. */
static tc_status watch(tc_ep *ep, tc_status otherwise, tc_error *err)
{
    if (ep->hs.watched || !tci_stream_is_connected(ep->stream))
        return otherwise;
    TC_TRY(tci_core_watch(ep->core, tci_stream_fd(ep->stream), ep->connection, err));
    ep->hs.watched = true;
    return otherwise;
}

/* Returns a time that differs from process to process: a listener's queue takes few connections
 * at one moment, and kernels try all others again at one moment. It grows for networks that are
 * slower than expected. */
static uint64_t draw_patience(unsigned redials)
{
    uint32_t drawn;
    randombytes_buf(&drawn, sizeof drawn);
    return (redials + 1) * (PATIENCE_NS + drawn % PATIENCE_NS);
}

bool tci_connecting_stalls(tc_ep *ep, unsigned redials)
{
    if (ep->stream == NULL || redials >= TCI_CONNECTING_REDIALS)
        return false;
    const uint64_t now_ns = tci_clock_ns();
    if (ep->hs.stalls_ns == 0)
        ep->hs.stalls_ns = (now_ns + draw_patience(redials)) | 1;
    if (now_ns < ep->hs.stalls_ns)
        return false;
    /* An odd time is that of the host, an even one that of the peer. */
    const bool has_host_answered = ep->hs.stalls_ns % 2 == 0;
    ep->hs.stalls_ns = has_host_answered ? UINT64_MAX : (now_ns + UNHEARD_NS) & ~1ull;
    return has_host_answered ? redials == 0 : tci_stream_is_unanswered(ep->stream);
}

/* Returns whether a member's stream is to be given up for another one. */
static bool redials(tc_ep *ep)
{
    if (ep->hs.expected_rank == TC_RANK_NONE || !tci_connecting_stalls(ep, ep->hs.redials))
        return false;
    ep->hs.redials++;
    ep->hs.stalls_ns = 0;
    return true;
}

void tci_connecting_turn(tc_ep *ep)
{
    tc_error error = {0};
    if (ep->stream == NULL) {
        ep->core->events->retry(ep, tci_clock_ns());
        return;
    }
    tc_status status = tci_stream_connect_finish(ep->stream, &error);
    if (status == TC_OK || status == TC_E_AGAIN)
        status = watch(ep, status, &error);
    if (status == TC_E_AGAIN && redials(ep))
        status = TC_E_UNREACHABLE;
    if (status == TC_E_AGAIN)
        return;
    bool may_try_again = status == TC_E_UNREACHABLE || status == TC_E_PEER_LOST;
    if (may_try_again && ep->hs.expected_rank != TC_RANK_NONE) {
        ep->hs.watched = false; /* the next stream has another descriptor */
        ep->core->events->retry(ep, tci_clock_ns());
        return;
    }
    if (status == TC_OK) {
        TCI_INVARIANT(ep_state, tci_ep_state_may_follow(ep->state, TCI_EP_AWAITING_HELLO));
        ep->state = TCI_EP_AWAITING_HELLO;
        tci_connecting_keep_identity(ep);
    }
    if (status == TC_OK && !tci_stream_is_local(ep->stream))
        status = tci_network_prepare(ep->core, tci_stream_credentials(ep->stream),
                                     "it connects to another host", &error);
    if (status == TC_OK) {
        status = tci_handshake_send_hello(ep, &error);
    }
    if (status != TC_OK)
        tci_ep_fail(ep, &error);
}
