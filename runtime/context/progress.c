/* tc_progress: rings first, and all other work only when it is due.
 *
 * A turn does up to three kinds of work:
 *
 *   rings          One load for each watched ring; runs the frames found. A turn without
 *                  pending causes (core/pending.h) does only this.
 *   UCX, streams   When there are such causes, or some turns have passed: before the rings, so
 *                  that frames that they bring are run by the same turn.
 *   housekeeping   When the causes are work, functions are being loaded, or some turns have
 *                  passed: takes all causes and does their work. At intervals this includes
 *                  the rare work: descriptors, deadlines, peers that are gone.
 *
 * The common turn reads no clock, as that takes as long as a message, and touches no endpoint
 * without work, as one that the caches have dropped takes some 0.1 us.
 *
 * A turn must never run inside a shipped function or a callback: it then logs an error and does
 * no work. It must never run messages of an endpoint that the program does not know yet. It
 * must never drop unfinished work: its cause is added again, so that no sleep begins over it.
 * Where a thread serves the context, no other thread makes a turn. */
#include "context/progress.h"

#include "base/clock.h"
#include "base/logger.h"
#include "context/arrivals.h"
#include "context/closing.h"
#include "context/events.h"
#include "context/listener.h"
#include "context/wait.h"
#include "context/waker.h"
#include "core/credit.h"
#include "core/doorbell.h"
#include "core/ep_state.h"
#include "core/quota.h"
#include "core/share.h"
#include "core/sole_user.h"
#include "dispatch/backlog.h"
#include "dispatch/dispatch.h"
#include "dispatch/inject_run.h"
#include "endpoint/ep_life.h"
#include "endpoint/handshake.h"
#include "endpoint/record_in.h"
#include "ifunc/libraries.h"
#include "transfer/code_out.h"
#include "transfer/frame_out.h"
#include "transfer/queue_drain.h"

#include <sys/epoll.h>

/* In calls of tc_progress: with only direct peers UCX carries next to nothing. */
#define HOUSEKEEPING_EVERY 64
#define EVENTS_MAX 64
/* The longest delay of a stream behind the link to the same peer. */
#define STREAM_DELAY_NS 100000000ull
#define STREAMS_POLLED_MAX 4u

/* --- the program's callback -------------------------------------------------------------- */

/* A callback of the program follows the rules of an ifunc: no progress, and closing waits until
 * it is over. */
static void call_program(tc_context *ctx, tc_ep *ep, tc_ep_event event)
{
    if (ctx->callback == NULL)
        return;
    (void)tci_pending_enter(&ctx->core.pending, TCI_RUNNING);
    ctx->callback(ctx->callback_user, ep, event);
    tci_pending_leave(&ctx->core.pending, TCI_RUNNING, 0);
}

/* Calls the program for an open endpoint, before any message of its peer is run. tc_ep_connect
 * announces its own endpoint. */
static void announce(tc_ep *ep)
{
    if (!tci_ep_is_held(ep) || ep->life.owner == TCI_OWNER_PROGRAM)
        return;
    call_program(ep->core->context, ep, TC_EP_OPENED);
    tci_ep_announced(ep);
}

/* --- the rare work ----------------------------------------------------------------------- */

static void look_at_stream(tc_ep *ep)
{
    tci_handshake_stream(ep);
    announce(ep); /* messages behind its READY need not wait for the end of the turn */
    if (ep->state >= TCI_EP_CLOSED || ep->peer.said_bye)
        (void)epoll_ctl(ep->core->epoll_fd, EPOLL_CTL_DEL, tci_stream_fd(ep->stream), NULL);
}

/* The end of a stream does not cover frames that its peer wrote into the ring before, so those
 * are run first. */
static unsigned serve_stream(tc_ep *ep)
{
    unsigned run = 0;
    if (tci_ep_is_open(ep))
        run = tci_dispatch_run_lap(ep);
    look_at_stream(ep);
    return run;
}

static unsigned serve_descriptors(tc_context *ctx)
{
    struct epoll_event events[EVENTS_MAX];
    unsigned run = 0;
    tc_ep *ep;
    int n = epoll_wait(ctx->core.epoll_fd, events, EVENTS_MAX, 0);
    for (int i = 0; i < n; i++) {
        if (events[i].data.u64 & TCI_WATCH_LOADS)
            tci_events_note_loads(ctx);
        else if (events[i].data.u64 & TCI_WATCH_WAKE)
            tci_waker_note_wake(ctx);
        else if (events[i].data.u64 & TCI_WATCH_GUEST)
            tci_waker_note_guest(ctx);
        else if (events[i].data.u64 & TCI_WATCH_LISTENER)
            tci_listener_serve(ctx, events[i].data.u64 & ~(uint64_t)TCI_WATCH_LISTENER);
        else if ((ep = tci_core_find(&ctx->core, events[i].data.u64)) != NULL)
            run += serve_stream(ep);
    }
    return run;
}

/* Reads connections that carry frames. A few are read directly. With more, one epoll_wait finds
 * the readable ones, unless some connection holds bytes that no descriptor reports. */
static unsigned look_at_streams(tc_context *ctx)
{
    tci_core *core = &ctx->core;
    if (core->stream_count > STREAMS_POLLED_MAX &&
        !tci_pending_has(&core->pending, TCI_WORK_STREAM))
        return serve_descriptors(ctx);
    for (tci_record_in *in = core->streams; in != NULL; in = in->next) {
        if (in->ep->state < TCI_EP_CLOSED && !in->ep->peer.said_bye)
            look_at_stream(in->ep);
    }
    return 0;
}

/* Fails an endpoint after its link has ended. The peer may have given the reason before, by
 * another path that UCX does not wait for: a goodbye or a refusal in the stream, perhaps still
 * under way, or a goodbye by active message in the inbox. So these come first. Returns how many
 * messages were run. */
static unsigned check_link(tc_context *ctx, tc_ep *ep, uint64_t now_ns)
{
    tc_error error;
    unsigned run = 0;
    if (ep->link == NULL || ep->state >= TCI_EP_CLOSED || ep->peer.said_bye ||
        ctx->inbox.first != NULL || tci_link_error(ep->link, &error) == TC_OK)
        return 0;
    if (ep->stream != NULL) {
        run = serve_stream(ep);
        if (ep->life.link_ended_ns == 0)
            ep->life.link_ended_ns = now_ns;
        if (ep->peer.said_bye || now_ns - ep->life.link_ended_ns < STREAM_DELAY_NS)
            return run;
    }
    tci_ep_fail(ep, &error);
    return run;
}

static unsigned check_endpoint(tc_context *ctx, tc_ep *ep, uint64_t now_ns)
{
    tci_handshake_expire(ep, now_ns);
    /* A name with several addresses changes its descriptor while it connects. */
    if (ep->state == TCI_EP_CONNECTING)
        tci_handshake_stream(ep);
    tci_handshake_turn(ep);
    (void)tci_ep_check_credit(ep); /* a flush only waits, and queued messages have no caller */
    if (ep->link != NULL)
        tci_link_look_for_peer(ep->link, now_ns, ep->stream == NULL);
    return check_link(ctx, ep, now_ns);
}

/* The rare work: descriptors, deadlines, peers that UCX found dead. */
static unsigned service(tc_context *ctx, uint64_t now_ns)
{
    tci_core *core = &ctx->core;
    ctx->serviced_ns = now_ns;
    (void)tci_worker_progress(core->worker);
    tci_listener_wake(ctx, now_ns);
    unsigned run = serve_descriptors(ctx);
    for (tc_ep *ep = core->first; ep != NULL; ep = ep->next)
        run += check_endpoint(ctx, ep, now_ns);
    tci_calls_expire(core, now_ns);
    tci_share_end_round(core, now_ns);
    return run;
}

void tci_progress_tell_end(tc_context *ctx, tc_ep *ep, tc_ep_event event)
{
    if (ep->life.ended_notified)
        return;
    ep->life.ended_notified = true;
    if ((ep->life.opened && !tci_ep_is_held(ep)) || ep->life.owner != TCI_OWNER_CONTEXT)
        call_program(ctx, ep, event);
}

static void notify_end(tc_context *ctx, tc_ep *ep)
{
    tci_ep_notify_end(ep);
    tci_progress_tell_end(ctx, ep, ep->state == TCI_EP_CLOSED ? TC_EP_CLOSED : TC_EP_FAILED);
}

/* Calls the program for endpoints that opened or ended, and frees those that the context owns.
 * An endpoint that opened and failed in the same turn is announced too: a function that it has
 * run may have kept it. */
static void notify_states(tc_context *ctx)
{
    uint64_t deadline_ns = tci_deadline_after(TCI_GOODBYE_NS);
    tc_ep *next;
    for (tc_ep *ep = ctx->core.first; ep != NULL; ep = next) {
        next = ep->next;
        bool is_shared = ep->life.owner != TCI_OWNER_PROGRAM;
        announce(ep);
        bool ended = ep->state >= TCI_EP_CLOSED;
        if (ended)
            notify_end(ctx, ep);
        if (ep->life.pins == 0 && (ep->life.close_wanted || (ended && is_shared)))
            tci_closing_end(ep, deadline_ns);
    }
}

/* --- housekeeping ------------------------------------------------------------------------ */

/* Does an endpoint's work beside polling its ring. Adds the causes of unfinished work. */
static unsigned turn_endpoint(tc_ep *ep)
{
    tci_pending *pending = &ep->core->pending;
    if (ep->state != TCI_EP_OPEN)
        return 0;
    if (tci_queue_waits(ep)) {
        tci_queue_drain(ep);
        /* Only now can a flush set its target, so it must not sleep before it has checked. */
        pending->activity |= !tci_queue_waits(ep);
    }
    unsigned run = tci_backlog_turn(ep);
    if (tci_credit_turn(ep))
        tci_pending_add(pending, TCI_WORK_LINK);
    if (tci_code_out_turn(ep))
        tci_pending_add(pending, TCI_WORK_LINK);
    if (ep->link != NULL && !tci_link_turn(ep->link))
        tci_pending_add(pending, TCI_WORK_LINK);
    if (tci_record_in_has_more(ep))
        tci_pending_add(pending, TCI_WORK_STREAM);
    if (ep->peer.said_bye && tci_dispatch_drain(ep))
        tci_handshake_part(ep);
    if (tci_queue_waits(ep))
        tci_pending_add(pending, TCI_WORK_QUEUE);
    if (ep->peer.said_bye && ep->state == TCI_EP_OPEN && !tci_quota_waits(ep))
        tci_pending_add(pending, TCI_WORK_GOODBYE);
    return run;
}

/* Reading the clock takes as long as a message does, so with peers that UCX serves it is not
 * read on every turn. */
static unsigned service_when_due(tc_context *ctx, bool now)
{
    uint64_t now_ns = tci_clock_ns();
    ctx->countdown = HOUSEKEEPING_EVERY;
    if (ctx->core.handshakes == 0 && !now &&
        now_ns - ctx->serviced_ns <= tci_progress_interval_ns(&ctx->core))
        return 0;
    return service(ctx, now_ns);
}

/* Everything but rings and UCX: takes all causes of pending work, and does it. */
static unsigned do_housekeeping(tc_context *ctx)
{
    tci_core *core = &ctx->core;
    unsigned run = 0;
    unsigned causes = tci_pending_take(&core->pending, TCI_WORK);
    for (tc_ep *ep = core->first; ep != NULL; ep = ep->next)
        run += turn_endpoint(ep);
    if (core->handshakes > 0 || (causes & TCI_WORK_SERVICE) || ctx->countdown < 0)
        run += service_when_due(ctx, (causes & TCI_WORK_SERVICE) != 0);
    if (core->registry.jobs != NULL)
        tci_registry_take_finished(&core->registry);
    tci_libraries_collect(&core->registry);
    if (ctx->inbox.first != NULL)
        tci_arrivals_handle_hellos(ctx);
    if (ctx->replies.first != NULL)
        tci_local_replies_take(core);
    causes |= tci_pending_take(&core->pending, TCI_WORK_STATE);
    if (causes & TCI_WORK_STATE) {
        tci_pending_note_event(&core->pending);
        notify_states(ctx);
    }
    if (core->handshakes > 0)
        tci_pending_add(&core->pending, TCI_WORK_HANDSHAKE);
    return run;
}

/* --- turns ------------------------------------------------------------------------------- */

/* The list may change while a function runs: its address and length are read again then. This
 * function begins a line of the instruction cache, so that its loop lies in one: across two, a
 * turn with eight idle rings takes a fifth longer. */
static __attribute__((noinline, aligned(64))) unsigned poll_rings(tc_context *ctx)
{
    const tci_core *core = &ctx->core;
    const tci_watched_ring *watched = core->watched;
    size_t count = core->watched_count;
    unsigned run = 0;
    for (size_t i = 0; i < count; i++) {
        if (__builtin_expect(tci_ring_load_signal(watched[i].frame) == watched[i].signal, 0)) {
            run += tci_dispatch_run(watched[i].ep);
            watched = core->watched;
            count = core->watched_count;
        }
    }
    if (core->used != NULL)
        tci_frame_out_end_turns(&ctx->core);
    return run;
}

static bool needs_housekeeping(tc_context *ctx)
{
    const tci_core *core = &ctx->core;
    bool due = --ctx->countdown < 0;
    return due || tci_pending_has(&core->pending, TCI_WORK) || core->registry.jobs != NULL;
}

/* A turn with more than rings. With peers that UCX serves this is every turn, so it touches no
 * endpoint without work. */
static __attribute__((noinline)) unsigned progress_with_ucx(tc_context *ctx)
{
    if (tci_core_is_busy(&ctx->core)) {
        TC_LOG(TC_LOG_ERROR, "tc_progress was called %s",
               tci_core_is_forked(&ctx->core) ? "in a fork" : "from inside an ifunc");
        return 0;
    }
    tci_wait_disarm(ctx);
    /* UCX first, so that frames that it puts into rings are run by this very call. */
    (void)tci_worker_progress(ctx->core.worker);
    unsigned run = ctx->core.streams != NULL ? look_at_streams(ctx) : 0;
    run += poll_rings(ctx);
    if (run == 0)
        tci_inject_get_ahead(&ctx->core);
    if (!needs_housekeeping(ctx))
        return run;
    run += do_housekeeping(ctx);
    if (ctx->core.used != NULL) /* housekeeping sends too, and a sleep may follow */
        tci_frame_out_end_turns(&ctx->core);
    return run;
}

/* Polls the rings, and prepares the code that is expected next if no message was run. A message
 * that brings its own code requests this. */
static unsigned progress_and_get_ahead(tc_context *ctx)
{
    unsigned run = poll_rings(ctx);
    if (run == 0)
        tci_inject_get_ahead(&ctx->core);
    return run;
}

static unsigned progress_by_causes(tc_context *ctx)
{
    const unsigned causes = tci_pending_causes(&ctx->core.pending);
    if ((causes & ~(unsigned)TCI_CODE_AHEAD) != 0 || --ctx->countdown < 0)
        return progress_with_ucx(ctx);
    return causes == 0 ? poll_rings(ctx) : progress_and_get_ahead(ctx);
}

static unsigned progress_alone(tc_context *ctx)
{
    bool entered = tci_sole_user_enter(&ctx->core, "tc_progress");
    unsigned run = progress_by_causes(ctx);
    tci_sole_user_leave(&ctx->core, entered);
    return run;
}

/* A guest that calls tc_progress in a loop with the lock held waits for work that only the
 * serving thread does. So it waits, without the lock, for one turn of that thread. */
static __attribute__((noinline)) unsigned progress_or_wait(tc_context *ctx)
{
    if (!tci_guests_is_one(ctx))
        return progress_alone(ctx);
    tci_guests_await_turn(ctx);
    return 0;
}

unsigned tc_progress(tc_context *ctx)
{
    if (__builtin_expect(ctx->core.pending.causes != 0 || --ctx->countdown < 0, 0))
        return progress_or_wait(ctx);
    return poll_rings(ctx);
}

unsigned tci_progress_turn(tc_context *ctx)
{
    const bool served = tci_pending_has(&ctx->core.pending, TCI_SERVED);
    if (!served)
        return tc_progress(ctx);
    bool entered = tci_sole_user_enter(&ctx->core, "the thread that serves it");
    unsigned run = tci_pending_causes(&ctx->core.pending) != TCI_SERVED || --ctx->countdown < 0
                       ? progress_with_ucx(ctx)
                       : poll_rings(ctx);
    tci_sole_user_leave(&ctx->core, entered);
    return run;
}

unsigned tci_progress_all(tc_context *ctx)
{
    ctx->countdown = 0;
    tci_pending_add(&ctx->core.pending, TCI_WORK_SERVICE);
    return tci_progress_turn(ctx);
}
