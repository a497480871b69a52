/* Connecting, flushing and closing: the calls that block, each with a deadline. */
#include "context/connect.h"

#include "base/clock.h"
#include "base/logger.h"
#include "context/progress.h"
#include "context/wait.h"
#include "core/credit.h"
#include "core/doorbell.h"
#include "core/ep_message.h"
#include "core/ep_state.h"
#include "endpoint/ep_life.h"
#include "endpoint/handshake.h"
#include "transfer/frame_out.h"
#include "transfer/queue_drain.h"

#include <stdlib.h>

#define NAP_NS 1000000ull /* between looks, when a call blocks */
#define GOODBYE_NS 100000000ull
#define ADDRESS_TRIES 4u

/* --- connecting -------------------------------------------------------------------------- */

/* Progresses until the endpoint is open or has failed; frees it when it failed. */
static tc_status wait_until_open(tc_context *ctx, tc_ep *ep, tc_ep **ep_out, tc_error *err)
{
    ep->life.ended_notified = true; /* nobody is to hear of it before its owner has it */
    ctx->idle_since_ns = 0;
    while (ep->state < TCI_EP_OPEN) {
        if (tci_progress_all(ctx) == 0)
            tci_wait_idle(ctx, tci_deadline_after(NAP_NS));
    }
    if (ep->state == TCI_EP_OPEN) {
        ep->life.ended_notified = false;
        *ep_out = ep;
        return TC_OK;
    }
    tc_status status = tc_ep_error(ep, err);
    tci_ep_free(ep);
    return status;
}

static uint64_t connect_deadline(const tci_core *core, uint64_t timeout_ns)
{
    return tci_deadline_after(timeout_ns > 0 ? timeout_ns : core->options.connect_timeout);
}

static tc_status busy(tc_error *err)
{
    return tci_error_set(err, TC_E_BUSY, "blocking calls are not allowed inside an ifunc");
}

tc_status tc_ep_connect(tc_context *ctx, const char *host_port, uint64_t timeout_ns,
                        tc_ep **ep_out, tc_error *err)
{
    tci_core *core = &ctx->core;
    tci_stream *stream;
    tc_ep *ep;
    if (tci_core_is_busy(core))
        return busy(err);
    TC_TRY(tci_stream_connect_start(host_port, &stream, err));
    tc_status status = tci_ep_create(core, TCI_OWNER_PROGRAM, &ep, err);
    if (status != TC_OK) {
        tci_stream_close(stream);
        return status;
    }
    ep->stream = stream;
    ep->state = TCI_EP_CONNECTING;
    tci_handshake_set_deadline(ep, connect_deadline(core, timeout_ns));
    return wait_until_open(ctx, ep, ep_out, err);
}

static tc_status try_address(tc_context *ctx, const void *worker_address, uint64_t deadline_ns,
                             tc_ep **ep_out, tc_error *err)
{
    tc_ep *ep;
    TC_TRY(tci_ep_create(&ctx->core, TCI_OWNER_PROGRAM, &ep, err));
    tci_handshake_set_deadline(ep, deadline_ns);
    tc_status status = tci_link_open(ctx->core.worker, worker_address, &ep->link, err);
    if (status == TC_OK)
        status = tci_handshake_send_hello(ep, err);
    if (status != TC_OK) {
        tci_ep_free(ep);
        return status;
    }
    return wait_until_open(ctx, ep, ep_out, err);
}

/* UCX pairs endpoints of two workers in the order of their making. So when an attempt was given
 * up and its peer wakes, the peer's side of the next attempt may be paired with the first one,
 * and end with it. */
tc_status tc_ep_connect_address(tc_context *ctx, const void *address, size_t size,
                                uint64_t timeout_ns, tc_ep **ep_out, tc_error *err)
{
    tci_core *core = &ctx->core;
    tci_hello theirs;
    if (tci_core_is_busy(core))
        return busy(err);
    TC_TRY(tci_hello_decode(address, size, TCI_HELLO_ADDRESS, &theirs, err));
    TC_TRY(tci_hello_compatible(&core->self, &theirs, err));
    uint64_t deadline_ns = connect_deadline(core, timeout_ns);
    tc_status status = TC_E_PEER_LOST;
    for (unsigned i = 0; i < ADDRESS_TRIES && status == TC_E_PEER_LOST; i++)
        status = try_address(ctx, theirs.worker_address.data, deadline_ns, ep_out, err);
    return status;
}

const void *tc_context_address(tc_context *ctx, size_t *size_out)
{
    ctx->address_given = true;
    *size_out = ctx->core.own_address_size;
    return ctx->core.own_address;
}

/* --- flushing and closing ---------------------------------------------------------------- */

static bool is_flushed(tc_ep *ep, uint64_t target)
{
    tci_producer_refresh(&ep->tx.ring);
    return !tci_queue_waits(ep) && ep->tx.ring.consumed_seen >= target;
}

static tc_status flush_pinned(tc_ep *ep, uint64_t deadline_ns)
{
    tc_context *ctx = tc_ep_context(ep);
    uint64_t target = UINT64_MAX; /* known once the queue is empty */
    ctx->idle_since_ns = 0;
    tci_sender_commit_coalesced(&ep->tx);
    tci_doorbell_after_frames(ep);
    while (tci_ep_is_open(ep)) {
        if (!tci_queue_waits(ep) && target == UINT64_MAX) {
            if (!tci_producer_drained(&ep->tx.ring) && ep->tx.delivery->ops->credit != NULL)
                tci_frame_out_control(ep, TCI_CONTROL_CREDIT, 0, NULL, 0);
            target = ep->tx.flush_target = ep->tx.ring.tail;
        }
        if (is_flushed(ep, target)) {
            /* A refusal is written before the credit for its message, so this one look finds
             * it. */
            (void)tc_progress(ctx);
            return TC_OK;
        }
        TC_TRY(tci_wait_turn(ctx, deadline_ns));
    }
    return ep->tx.ring.consumed_seen >= target ? TC_OK : tc_ep_error(ep, NULL);
}

static tc_status flush_until(tc_ep *ep, uint64_t deadline_ns)
{
    tci_wait_pin(ep);
    tc_status status = flush_pinned(ep, deadline_ns);
    ep->tx.flush_target = 0;
    tci_wait_unpin(ep);
    return status;
}

tc_status tc_ep_flush(tc_ep *ep, uint64_t timeout_ns)
{
    if (tci_core_is_busy(ep->core))
        return TC_E_BUSY;
    return flush_until(ep, tci_deadline_after(timeout_ns));
}

/* A goodbye by active message leaves only while UCX is progressed. */
static void let_goodbye_leave(tc_ep *ep)
{
    uint64_t deadline_ns = tci_deadline_after(GOODBYE_NS);
    if (ep->stream != NULL) {
        while (tci_stream_flush(ep->stream, NULL) == TC_E_AGAIN && tci_clock_ns() < deadline_ns)
            ;
    } else {
        tci_link_flush(ep->link, GOODBYE_NS);
    }
}

void tci_connect_end(tc_ep *ep)
{
    if (tci_ep_is_open(ep)) {
        tci_credit_let_frames_arrive(ep, GOODBYE_NS);
        tci_credit_return_last(ep, GOODBYE_NS);
        tci_ep_message_bye(ep);
        let_goodbye_leave(ep);
    }
    tci_ep_free(ep);
}

/* A peer that closes at the same time reads no control frames any more, and nobody misses
 * those.
 */
static bool has_messages_under_way(const tc_ep *ep)
{
    return ep->tx.push == NULL || ep->tx.ring.consumed_seen < ep->tx.message_end ||
           tci_queue_waits(ep);
}

void tc_ep_close(tc_ep *ep)
{
    if (ep == NULL)
        return;
    tci_core *core = ep->core;
    if (tci_core_is_busy(core)) {
        ep->life.close_wanted = true;
        tci_pending_add(&core->pending, TCI_WORK_STATE);
        return;
    }
    if (tci_ep_is_open(ep) &&
        flush_until(ep, tci_deadline_after(core->options.close_timeout)) != TC_OK &&
        has_messages_under_way(ep))
        TC_LOG(TC_LOG_WARN, "endpoint %u: closed with messages under way", ep->connection);
    tci_connect_end(ep);
}
