/* Connecting: blocking calls, each with a deadline. */
#include "context/connect.h"

#include "base/clock.h"
#include "base/logger.h"
#include "context/interrupt.h"
#include "context/wait.h"
#include "core/ep_state.h"
#include "core/sole_user.h"
#include "endpoint/connecting.h"
#include "endpoint/ep_life.h"
#include "endpoint/handshake.h"

#define NAP_NS 1000000ull         /* between checks, when a call blocks */
#define BUSY_REST_NS 100000000ull /* between tries at a peer that runs a function */
#define LISTENER_TRIES 8u
#define FIRST_REST_NS 10000000ull /* after the first of these; each other is twice as long */

/* --- connecting -------------------------------------------------------------------------- */

static bool is_decided(void *arg)
{
    const tc_ep *ep = arg;
    return ep->state >= TCI_EP_OPEN;
}

/* Messages that came meanwhile are run by the turns after this call, so that the caller can
 * prepare its endpoint. A thread that serves the context may sleep, and has not polled this
 * ring. */
static void begin_running(tc_ep *ep)
{
    tci_ep_announced(ep);
    tci_pending_add(&ep->core->pending, TCI_WORK_SERVICE);
}

static tc_status why_not_open(const tc_ep *ep, const tci_patience *patience, bool stalls,
                              tc_error *err)
{
    if (stalls)
        return TC_E_AGAIN;
    return patience->interrupted
               ? tci_error_set(err, TC_E_TIMEOUT, "the peer did not answer %s",
                               tci_patience_text(patience))
               : tc_ep_error(ep, err);
}

tc_status tci_connect_wait(tc_context *ctx, tc_ep *ep, unsigned redials, tc_ep **ep_out,
                           bool *heard_out, tc_error *err)
{
    bool stalls = false;
    tci_patience patience = tci_interrupt_patience(ctx, TC_FOREVER);
    const tci_awaited decided = {.is_there = is_decided, .arg = ep, .is_silent = true};
    ep->life.ended_notified = true; /* no callback before the owner has it */
    ctx->idle_since_ns = 0;
    while (!is_decided(ep) && !tci_patience_is_over(&patience) && !stalls) {
        tci_wait_service_turn(ctx, tci_deadline_after(NAP_NS), &decided);
        stalls = ep->state < TCI_EP_AWAITING_READY && tci_connecting_stalls(ep, redials);
    }
    *heard_out = ep->link != NULL;
    if (ep->state == TCI_EP_OPEN) {
        ep->life.ended_notified = false;
        begin_running(ep);
        *ep_out = ep;
        return TC_OK;
    }
    const tc_status status = why_not_open(ep, &patience, stalls, err);
    tci_ep_free(ep);
    return status;
}

uint64_t tci_connect_deadline(const tci_core *core, uint64_t timeout_ns)
{
    return tci_deadline_after(timeout_ns > 0 ? timeout_ns : core->options.connect_timeout);
}

tc_status tci_connect_busy(tc_error *err)
{
    return tci_error_set(err, TC_E_BUSY, "blocking calls are not allowed inside an ifunc");
}

static tc_status try_once(tc_context *ctx, const char *host_port, uint64_t deadline_ns,
                          unsigned redials, tc_ep **ep_out, bool *heard_out, tc_error *err)
{
    tci_core *core = &ctx->core;
    tci_stream *stream;
    tc_ep *ep;
    TC_TRY(tci_stream_connect_start(host_port, &core->credentials, &stream, err));
    tc_status status = tci_ep_create(core, TCI_OWNER_PROGRAM, &ep, err);
    if (status != TC_OK) {
        tci_stream_close(stream);
        return status;
    }
    ep->stream = stream;
    ep->state = TCI_EP_CONNECTING;
    tci_handshake_begin(ep, deadline_ns);
    return tci_connect_wait(ctx, ep, redials, ep_out, heard_out, err);
}

/* Tries again where the peer's host does not answer: its listener's queue may be full. */
static tc_status try_stream(tc_context *ctx, const char *host_port, uint64_t deadline_ns,
                            tc_ep **ep_out, bool *heard_out, tc_error *err)
{
    tc_status status = TC_E_AGAIN;
    for (unsigned i = 0; status == TC_E_AGAIN; i++)
        status = try_once(ctx, host_port, deadline_ns, i, ep_out, heard_out, err);
    return status;
}

static bool never(void *arg)
{
    (void)arg;
    return false;
}

/* Waits between two tries. Returns false when the time is over or the program has given up. */
static bool rest(tc_context *ctx, uint64_t rest_ns, uint64_t deadline_ns)
{
    const tci_awaited nothing = {.is_there = never, .is_silent = true};
    const uint64_t left_ns = tci_deadline_left_ns(deadline_ns);
    tci_patience patience = tci_interrupt_patience(ctx, left_ns < rest_ns ? left_ns : rest_ns);
    ctx->idle_since_ns = 0;
    while (!tci_patience_is_over(&patience))
        tci_wait_service_turn(ctx, tci_patience_next_ns(&patience), &nothing);
    return !patience.interrupted && tci_deadline_left_ns(deadline_ns) > 0;
}

/* A crowded listener drops some of the connections that are not authenticated. If no HELLO of
 * the peer has come, the peer has received no message, so another try repeats nothing. */
static tc_status try_listener(tc_context *ctx, const char *host_port, uint64_t deadline_ns,
                              tc_ep **ep_out, tc_error *error)
{
    uint64_t rest_ns = FIRST_REST_NS;
    tc_error again_error = {0};
    bool heard = false;
    tc_status status = try_stream(ctx, host_port, deadline_ns, ep_out, &heard, error);
    for (unsigned i = 1; i < LISTENER_TRIES && status == TC_E_PEER_LOST && !heard; i++) {
        if (!rest(ctx, rest_ns, deadline_ns))
            break;
        rest_ns *= 2;
        tc_status again = try_stream(ctx, host_port, deadline_ns, ep_out, &heard, &again_error);
        if (again == TC_E_UNREACHABLE || again == TC_E_TIMEOUT) /* the first is clearer */
            break;
        status = again;
        *error = again_error;
    }
    return status;
}

/* A peer that is running a function reports that at once (modules/limits/busy_desk.h). The
 * function may return in time. */
static tc_status try_while_busy(tc_context *ctx, const char *host_port, uint64_t deadline_ns,
                                tc_ep **ep_out, tc_error *error)
{
    tc_error busy_error;
    tc_status status = TC_E_BUSY;
    TC_LOG(TC_LOG_WARN, "connecting to %s: it is %s; trying again", host_port, error->text);
    while (status == TC_E_BUSY) {
        busy_error = *error;
        if (!rest(ctx, BUSY_REST_NS, deadline_ns))
            break;
        status = try_listener(ctx, host_port, deadline_ns, ep_out, error);
    }
    if (status == TC_E_BUSY || status == TC_E_TIMEOUT)
        return tci_error_set(error, TC_E_TIMEOUT,
                             "connecting: the peer did not answer in time: it is %s",
                             busy_error.text);
    return status;
}

tc_status tc_ep_connect(tc_context *ctx, const char *host_port, uint64_t timeout_ns,
                        tc_ep **ep_out, tc_error *err)
{
    tc_error error = {0};
    if (tci_core_is_busy(&ctx->core))
        return tci_connect_busy(err);
    uint64_t deadline_ns = tci_connect_deadline(&ctx->core, timeout_ns);
    bool entered = tci_guests_enter_call(ctx, "tc_ep_connect");
    tc_status status = try_listener(ctx, host_port, deadline_ns, ep_out, &error);
    if (status == TC_E_BUSY)
        status = try_while_busy(ctx, host_port, deadline_ns, ep_out, &error);
    tci_sole_user_leave(&ctx->core, entered);
    if (status != TC_OK && err != NULL)
        *err = error;
    return status;
}
