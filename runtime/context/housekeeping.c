/* Housekeeping: all work of tc_progress beside polling rings, UCX and streams.
 *
 * A table has one row for each kind of work, with the causes (core/pending.h) that ask for it.
 * A turn takes all causes first and then goes through the rows; work that is not finished adds
 * its cause again, so that no sleep begins over it. The order of rows matters: endpoints before
 * deadlines, so that a goodbye that has come is not taken for a death, and states last, so that
 * an endpoint that another row has opened or ended is announced in the same turn.
 *
 * The rare work (descriptors, deadlines, dead peers) is one row, due at intervals: it checks
 * every endpoint, and one that the caches have dropped takes some 0.1 us. */
#include "context/housekeeping.h"

#include "base/clock.h"
#include "context/ep_callback.h"
#include "context/goodbye.h"
#include "context/modules.h"
#include "context/waker.h"
#include "core/credit.h"
#include "core/ep_state.h"
#include "core/handshake_ops.h"
#include "core/limits.h"
#include "core/network_ops.h"
#include "core/tasks_ops.h"
#include "dispatch/dispatch.h"
#include "endpoint/ep_life.h"
#include "endpoint/record_in.h"
#include "transfer/code_out.h"
#include "transfer/queue_drain.h"
#include "transfer/started.h"

#include <sys/epoll.h>

/* In calls of tc_progress: with only direct peers UCX carries next to nothing. */
#define HOUSEKEEPING_EVERY 64
#define EVENTS_MAX 64
/* The longest delay of a stream behind the link to the same peer. */
#define STREAM_DELAY_NS 100000000ull
#define STREAMS_POLLED_MAX 1u

/* --- the rare work ----------------------------------------------------------------------- */

static void look_at_stream(tc_ep *ep)
{
    tci_handshake_ops_read(ep);
    tci_ep_callback_opened(ep); /* messages behind its READY need not wait for the next turn */
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

/* Ignores the number of a closed listener. */
static void serve_listener(tc_context *ctx, uint64_t number)
{
    tc_listener *listener = ctx->listeners;
    while (listener != NULL && listener->number != number)
        listener = listener->next;
    if (listener != NULL)
        listener->ops->serve(listener);
}

static void wake_listeners(tc_context *ctx, uint64_t now_ns)
{
    if (ctx->listeners_resting == 0)
        return;
    for (tc_listener *listener = ctx->listeners; listener != NULL; listener = listener->next) {
        if (listener->rests_until_ns > 0 && now_ns >= listener->rests_until_ns)
            listener->ops->wake(listener);
    }
}

static unsigned serve_descriptors(tc_context *ctx)
{
    struct epoll_event events[EVENTS_MAX];
    unsigned run = 0;
    tc_ep *ep;
    int n = epoll_wait(ctx->core.epoll_fd, events, EVENTS_MAX, 0);
    for (int i = 0; i < n; i++) {
        if (events[i].data.u64 & TCI_WATCH_LOADS)
            tci_waker_note_loads(ctx);
        else if (events[i].data.u64 & TCI_WATCH_WAKE)
            tci_waker_note_wake(ctx);
        else if (events[i].data.u64 & TCI_WATCH_GUEST)
            tci_waker_note_guest(ctx);
        else if (events[i].data.u64 & TCI_WATCH_LISTENER)
            serve_listener(ctx, events[i].data.u64 & ~(uint64_t)TCI_WATCH_LISTENER);
        else if ((ep = tci_core_find(&ctx->core, events[i].data.u64)) != NULL)
            run += serve_stream(ep);
    }
    return run;
}

bool tci_housekeeping_turns_serve(const tci_core *core)
{
    return core->stream_count > STREAMS_POLLED_MAX;
}

/* A single connection is read directly. With more, and for large bodies, one epoll_wait finds
 * the readable ones, unless some connection holds bytes that no descriptor reports. */
unsigned tci_housekeeping_streams(tc_context *ctx)
{
    tci_core *core = &ctx->core;
    if (tci_housekeeping_turns_serve(core) && !tci_pending_has(&core->pending, TCI_WORK_STREAM))
        return serve_descriptors(ctx);
    bool bulk = false;
    for (tci_record_in *in = core->streams; in != NULL; in = in->next) {
        if (in->bulk && !tci_link_has_bytes(in->ep->link))
            bulk = true;
        else if (in->ep->state < TCI_EP_CLOSED && !in->ep->peer.said_bye)
            look_at_stream(in->ep);
    }
    return bulk ? serve_descriptors(ctx) : 0;
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
    tci_handshake_ops_turn(ep, now_ns);
    (void)tci_ep_check_credit(ep); /* a flush only waits, and queued messages have no caller */
    if (ep->link != NULL)
        tci_link_look_for_peer(ep->link, now_ns, ep->stream == NULL);
    return check_link(ctx, ep, now_ns);
}

/* Checks all endpoints, or those that are not open: new ones come first in the list, so that a
 * target with many peers does not look at these while another one connects. */
static unsigned check_endpoints(tc_context *ctx, uint64_t now_ns, bool all)
{
    unsigned run = 0, left = ctx->core.handshakes;
    for (tc_ep *ep = ctx->core.first; ep != NULL && (all || left > 0); ep = ep->next) {
        const bool connects = ep->state < TCI_EP_OPEN;
        left -= connects && left > 0;
        if (all || connects)
            run += check_endpoint(ctx, ep, now_ns);
    }
    return run;
}

static unsigned service(tc_context *ctx, uint64_t now_ns, bool all)
{
    tci_core *core = &ctx->core;
    ctx->serviced_ns = all ? now_ns : ctx->serviced_ns;
    (void)tci_network_progress(core);
    wake_listeners(ctx, now_ns);
    unsigned run = serve_descriptors(ctx);
    run += check_endpoints(ctx, now_ns, all);
    tci_modules_service(core, now_ns);
    return run;
}

/* Reading the clock takes as long as a message does, so with peers that UCX serves it is not
 * read on every turn. */
static unsigned service_when_due(tc_context *ctx, unsigned causes)
{
    const bool now = (causes & TCI_WORK_SERVICE) != 0;
    if (ctx->core.handshakes == 0 && !now && ctx->countdown >= 0)
        return 0;
    const uint64_t now_ns = tci_clock_ns();
    const bool all =
        now || now_ns - ctx->serviced_ns > tci_housekeeping_interval_ns(&ctx->core);
    ctx->countdown = HOUSEKEEPING_EVERY;
    return all || ctx->core.handshakes > 0 ? service(ctx, now_ns, all) : 0;
}

/* --- states ------------------------------------------------------------------------------ */

static void notify_end(tc_context *ctx, tc_ep *ep)
{
    tci_ep_notify_end(ep);
    tci_ep_callback_end(ctx, ep, ep->state == TCI_EP_CLOSED ? TC_EP_CLOSED : TC_EP_FAILED);
}

/* Calls the program for endpoints that opened or ended, and frees those that the context owns.
 * An endpoint that opened and failed in the same turn is announced too: a function that it has
 * run may have kept it. */
static unsigned notify_states(tc_context *ctx, unsigned causes)
{
    const uint64_t deadline_ns = tci_deadline_after(TCI_GOODBYE_NS);
    tc_ep *next;
    (void)causes;
    tci_pending_note_event(&ctx->core.pending);
    for (tc_ep *ep = ctx->core.first; ep != NULL; ep = next) {
        next = ep->next;
        bool is_shared = ep->life.owner != TCI_OWNER_PROGRAM;
        tci_ep_callback_opened(ep);
        bool ended = ep->state >= TCI_EP_CLOSED;
        if (ep->life.close_wanted && ep->tasks != NULL)
            ep->core->tasks->ops->ended(ep, TC_E_CLOSED);
        if (ended)
            notify_end(ctx, ep);
        if (ep->life.pins == 0 && (ep->life.close_wanted || (ended && is_shared)))
            tci_goodbye_end(ep, deadline_ns);
    }
    tci_started_report(&ctx->core);
    return 0;
}

/* --- endpoints --------------------------------------------------------------------------- */

/* Adds the causes of unfinished work. */
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
    unsigned run = tci_dispatch_paused(ep);
    if (tci_credit_turn(ep))
        tci_pending_add(pending, TCI_WORK_LINK);
    if (tci_code_out_turn(ep))
        tci_pending_add(pending, TCI_WORK_LINK);
    if (ep->link != NULL && !tci_link_turn(ep->link))
        tci_pending_add(pending, TCI_WORK_LINK);
    if (ep->link != NULL && !ep->peer.said_bye && tci_link_has_bytes(ep->link))
        tci_pending_add(pending, TCI_WORK_STREAM);
    if (ep->peer.said_bye && tci_ep_callback_is_withheld(ep))
        tci_ep_finish(ep);
    else if (ep->peer.said_bye && tci_dispatch_drain(ep))
        tci_ep_part(ep);
    if (tci_queue_waits(ep))
        tci_pending_add(pending, TCI_WORK_QUEUE);
    if (ep->peer.said_bye && ep->state == TCI_EP_OPEN && !tci_limits_waits(ep))
        tci_pending_add(pending, TCI_WORK_GOODBYE);
    return run;
}

static unsigned turn_endpoints(tc_context *ctx, unsigned causes)
{
    unsigned run = 0;
    /* This turn is for the endpoints that connect alone, and those are not open. */
    if (causes == TCI_WORK_HANDSHAKE && ctx->countdown >= 0 && ctx->core.registry.jobs == NULL)
        return 0;
    for (tc_ep *ep = ctx->core.first; ep != NULL; ep = ep->next)
        run += turn_endpoint(ep);
    return run;
}

/* --- the table --------------------------------------------------------------------------- */

static unsigned take_loads(tc_context *ctx, unsigned causes)
{
    (void)causes;
    if (ctx->core.registry.jobs != NULL)
        tci_registry_take_finished(&ctx->core.registry);
    return 0;
}

static unsigned turn_modules(tc_context *ctx, unsigned causes)
{
    (void)causes;
    tci_modules_turn(&ctx->core);
    return 0;
}

static unsigned handle_hellos(tc_context *ctx, unsigned causes)
{
    (void)causes;
    ctx->inbox.handle(ctx);
    return 0;
}

/* One kind of work, done if one of its causes is pending: those taken at the beginning, and
 * those that work before it in the table has added. Returns how many messages were run. */
static const struct {
    unsigned causes; /* 0: done in every turn */
    unsigned (*work)(tc_context *ctx, unsigned causes);
} table[] = {
    {0, turn_endpoints}, /* queues, credit, code and links; goodbyes */
    {0, service_when_due},
    {0, take_loads},
    {0, turn_modules},
    {TCI_WORK_HELLO, handle_hellos},
    {TCI_WORK_STATE, notify_states}, /* the program's callbacks; ended endpoints are freed */
};

bool tci_housekeeping_is_due(const tc_context *ctx)
{
    const unsigned work = TCI_WORK & ~(unsigned)TCI_WORK_TASKS;
    return ctx->countdown < 0 || tci_pending_has(&ctx->core.pending, work) ||
           ctx->core.registry.jobs != NULL;
}

unsigned tci_housekeeping(tc_context *ctx)
{
    tci_pending *pending = &ctx->core.pending;
    const unsigned taken = tci_pending_take(pending, TCI_WORK);
    unsigned run = 0;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        const unsigned causes = taken | tci_pending_take(pending, table[i].causes);
        if (table[i].causes == 0 || (causes & table[i].causes) != 0)
            run += table[i].work(ctx, causes);
    }
    if (ctx->core.handshakes > 0)
        tci_pending_add(pending, TCI_WORK_HANDSHAKE);
    return run;
}
