/* tc_progress: rings first, and everything else only for those who asked for it. */
#include "context_private.h"

#include "base/clock.h"
#include "base/logger.h"
#include "dispatch/dispatch.h"
#include "core/bell.h"
#include "endpoint/handshake.h"
#include "transfer/send.h"
#include "rpc/answer.h"
#include "group/group_private.h"

#include <sys/epoll.h>

#define CHORES_EVERY                                                                           \
    64 /* calls of tc_progress: with only direct peers UCX carries next to nothing */
#define EVENTS_MAX 64

/* --- the rare work ----------------------------------------------------------------------- */

/* A stream that ends says nothing about what its peer wrote into the ring before, so that is
 * run first. */
static unsigned serve_stream(tc_ep *ep)
{
    unsigned run = 0;
    if (tci_ep_is_open(ep)) {
        /* What it wrote before lies in the ring now, so one lap is all; a peer that goes on
         * writing must not hold everybody else up. */
        const uint64_t end = ep->rx.head + ep->rx.mask + 1;
        unsigned n;
        while (ep->rx.head < end && (n = tci_dispatch_run(ep)) > 0)
            run += n;
    }
    tci_handshake_stream(ep);
    if (ep->state >= TCI_EP_CLOSED || ep->peer_said_bye)
        (void)epoll_ctl(ep->core->epoll_fd, EPOLL_CTL_DEL, tci_stream_fd(ep->stream), NULL);
    return run;
}

static unsigned serve_descriptors(tc_context *ctx)
{
    struct epoll_event events[EVENTS_MAX];
    unsigned run = 0;
    int n = epoll_wait(ctx->core.epoll_fd, events, EVENTS_MAX, 0);
    for (int i = 0; i < n; i++) {
        if (events[i].data.u64 & TCI_WATCH_LOADS)
            tci_context_note_loads(ctx);
        else if (events[i].data.u64 & TCI_WATCH_LISTENER)
            tci_listener_serve(ctx, events[i].data.u64 & ~(uint64_t)TCI_WATCH_LISTENER);
        else if (ctx->core.by_connection[events[i].data.u64] != NULL)
            run += serve_stream(ctx->core.by_connection[events[i].data.u64]);
    }
    return run;
}

static void check_endpoint(tc_ep *ep, uint64_t now_ns)
{
    tc_error error;
    tci_handshake_expire(ep, now_ns);
    if (ep->state == TCI_EP_CONNECTING)
        tci_handshake_stream(
            ep); /* a name with several addresses changes its descriptor on the way */
    tci_handshake_turn(ep);
    (void)tci_ep_check_credit(ep); /* a flush only waits, and queued messages have no caller */
    /* A goodbye by active message may still lie in the inbox. */
    if (ep->link != NULL && ep->state < TCI_EP_CLOSED && !ep->peer_said_bye &&
        ep->core->inbox == NULL && tci_link_error(ep->link, &error) != TC_OK)
        tci_ep_fail(ep, &error);
}

/* The rare work: descriptors, deadlines, peers that UCX found dead. */
static unsigned service(tc_context *ctx, uint64_t now_ns)
{
    tci_core *core = &ctx->core;
    ctx->serviced_ns = now_ns;
    (void)tci_worker_progress(core->worker);
    unsigned run = serve_descriptors(ctx);
    for (tc_ep *ep = core->first; ep != NULL; ep = ep->next)
        check_endpoint(ep, now_ns);
    tci_calls_expire(core, now_ns);
    return run;
}

/* What the user does in a callback follows the rules of an ifunc: no progress, and closing
 * waits until it is over. */
static void call_user(tc_ep *ep, tc_ep_event event)
{
    tci_core *core = ep->core;
    if (core->callback == NULL)
        return;
    core->attention |= TCI_RUNNING;
    core->callback(core->callback_user, ep, event);
    core->attention &= ~(unsigned)TCI_RUNNING;
}

static void announce_end(tc_ep *ep)
{
    ep->end_announced = true;
    if (ep->announced || !ep->accepted)
        call_user(ep, ep->state == TCI_EP_CLOSED ? TC_EP_CLOSED : TC_EP_FAILED);
}

/* Calls the user for what became of endpoints, and frees those that are the core's. */
static void announce(tc_context *ctx)
{
    tc_ep *next;
    for (tc_ep *ep = ctx->core.first; ep != NULL; ep = next) {
        next = ep->next;
        if (ep->state >= TCI_EP_OPEN && ep->accepted && !ep->announced &&
            ep->delivery != NULL && ep->state != TCI_EP_FAILED) {
            ep->announced = true;
            call_user(ep, TC_EP_OPENED);
        }
        bool ended = ep->state >= TCI_EP_CLOSED;
        if (ended)
            tci_ep_tell_end(ep);
        if (ended && !ep->end_announced)
            announce_end(ep);
        if (ep->pins == 0 && (ep->close_wanted || (ended && ep->accepted)))
            tci_context_end_endpoint(ep);
    }
}

/* --- chores ------------------------------------------------------------------------------ */

/* What an endpoint needs beside a look at its ring. Returns whether it will need it again on
 * the next turn. */
static bool turn_endpoint(tc_ep *ep)
{
    if (ep->state != TCI_EP_OPEN)
        return false;
    if (tci_ep_has_waiting(ep))
        tci_send_queued(ep);
    if (ep->credit.due && tci_ep_credit_may_leave(ep))
        tci_ep_give_due_credit(ep);
    if (ep->peer_said_bye && tci_dispatch_run(ep) == 0 && !ep->loading)
        tci_ep_finish(ep);
    return tci_ep_has_waiting(ep) || ep->credit.due || ep->peer_said_bye;
}

/* Looking at the clock takes as long as a message does, so peers that UCX serves do not have it
 * looked at on every turn. */
static unsigned service_when_due(tc_context *ctx)
{
    uint64_t now_ns = tci_clock_ns();
    ctx->countdown = CHORES_EVERY;
    if (ctx->core.handshakes == 0 && !ctx->look_now &&
        now_ns - ctx->serviced_ns <= TCI_SERVICE_INTERVAL_NS)
        return 0;
    ctx->look_now = false;
    return service(ctx, now_ns);
}

/* Everything but rings and UCX. TCI_CHORES stays set as long as any of it has to be looked at
 * on every turn: handshakes, queues, goodbyes, news for the user. */
static unsigned do_chores(tc_context *ctx)
{
    tci_core *core = &ctx->core;
    unsigned run = 0;
    bool again = false;
    /* Whoever needs another turn says so below, or meanwhile. */
    core->attention &= ~(unsigned)TCI_CHORES;
    for (tc_ep *ep = core->first; ep != NULL; ep = ep->next)
        again |= turn_endpoint(ep);
    if (core->handshakes > 0 || ctx->look_now || ctx->countdown < 0)
        run += service_when_due(ctx);
    if (core->registry.jobs != NULL)
        tci_registry_take_finished(&core->registry);
    if (core->inbox != NULL)
        tci_arrivals_greet(core);
    if (core->answers != NULL)
        tci_answers_take_local(core);
    if (core->changed) {
        core->changed = false;
        ctx->changed_seen = true;
        core->news = true;
        announce(ctx);
    }
    again |= core->changed || core->handshakes > 0;
    if (again)
        core->attention |= TCI_CHORES;
    return run;
}

/* --- turns ------------------------------------------------------------------------------- */

void tci_context_end_turns(tc_context *ctx)
{
    tci_core *core = &ctx->core;
    tc_ep *next = core->used;
    core->used = NULL;
    while (next != NULL) {
        tc_ep *ep = next;
        next = ep->used_next;
        ep->turn_used = false;
        tci_ep_send_gathered(ep);
        tci_bell_after_frames(ep);
        if (ep->push != NULL && !ep->delivery->ops->turn(ep->delivery))
            tci_ep_note_use(ep);
    }
}

static unsigned poll_rings(tc_context *ctx)
{
    const tci_core *core = &ctx->core;
    unsigned run = 0;
    for (size_t i = 0; i < core->watched_count; i++) {
        const tci_watched_ring *watched = &core->watched[i];
        if (__builtin_expect(tci_ring_load_signal(watched->frame) == watched->signal, 0))
            run += tci_dispatch_run(watched->ep);
    }
    if (core->used != NULL)
        tci_context_end_turns(ctx);
    return run;
}

static bool has_chores(tc_context *ctx)
{
    const tci_core *core = &ctx->core;
    bool due = --ctx->countdown < 0;
    return due || (core->attention & TCI_CHORES) || core->registry.jobs != NULL || core->changed;
}

/* More than rings. With peers that UCX serves this is every turn, so it goes to no endpoint
 * that has nothing to do. */
static __attribute__((noinline)) unsigned progress_with_ucx(tc_context *ctx)
{
    if (tci_core_is_busy(&ctx->core)) {
        TC_LOG(TC_LOG_ERROR, "tc_progress was called from inside an ifunc");
        return 0;
    }
    tci_context_get_up(ctx);
    /* UCX first, so that what it puts into rings is run by this very call. */
    (void)tci_worker_progress(ctx->core.worker);
    unsigned run = poll_rings(ctx);
    if (!has_chores(ctx))
        return run;
    run += do_chores(ctx);
    if (ctx->core.used != NULL) /* chores send too, and a sleep may follow */
        tci_context_end_turns(ctx);
    return run;
}

unsigned tc_progress(tc_context *ctx)
{
    if (__builtin_expect(ctx->core.attention != 0 || --ctx->countdown < 0, 0))
        return progress_with_ucx(ctx);
    return poll_rings(ctx);
}
