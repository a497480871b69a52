/* How an endpoint opens, fails and ends, and the consequences of its state. */
#include "core/ep_state.h"

#include "base/assertion.h"
#include "base/clock.h"
#include "base/logger.h"
#include "base/small_copy.h"
#include "core/limits.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static tc_status watch_ring(tc_ep *ep)
{
    tci_core *core = ep->core;
    TCI_INVARIANT(watched_open, ep->state == TCI_EP_OPEN && !ep->rx.held && !ep->rx.paused);
    TCI_INVARIANT(watched_index, ep->rx.watched_at == TCI_UNWATCHED);
    TCI_INVARIANT_IS(watched_index, core->watched_count, <=, core->watched_capacity);
    if (core->watched_count == core->watched_capacity) { /* bound: CONNECTIONS_MAX */
        size_t capacity = core->watched_capacity == 0 ? 8 : 2 * core->watched_capacity;
        tci_watched_ring *watched = realloc(core->watched, capacity * sizeof *watched);
        if (watched == NULL)
            return tci_ep_fail_with(ep, TC_E_NO_MEMORY, "endpoint: out of memory");
        core->watched = watched;
        core->watched_capacity = capacity;
    }
    ep->rx.watched_at = core->watched_count++;
    core->watched[ep->rx.watched_at].ep = ep;
    tci_ep_watch_head(ep);
    return TC_OK;
}

/* The last entry moves to the freed index, so a loop over the list that runs meanwhile may miss
 * that entry, once. */
void tci_ep_unwatch(tc_ep *ep)
{
    tci_core *core = ep->core;
    if (ep->rx.watched_at == TCI_UNWATCHED)
        return;
    tci_watched_ring *ring = &core->watched[ep->rx.watched_at];
    TCI_INVARIANT_IS(watched_index, ep->rx.watched_at, <, core->watched_count);
    TCI_INVARIANT(watched_index, ring->ep == ep);
    *ring = core->watched[--core->watched_count];
    ring->ep->rx.watched_at = ep->rx.watched_at;
    ep->rx.watched_at = TCI_UNWATCHED;
}

void tci_ep_frames_came(tc_ep *ep)
{
    if (ep->state == TCI_EP_OPEN && ep->rx.watched_at == TCI_UNWATCHED && !ep->rx.paused &&
        !ep->rx.held)
        (void)watch_ring(ep);
}

/* Before the peer's READY arrives, its frames may come by any delivery. */
static bool may_send_frames(const tc_ep *ep)
{
    return !tci_ep_is_open(ep) || ep->rx.arrival.frames_by_message;
}

bool tci_ep_expects_frames(tc_ep *ep, uint16_t granule, size_t size)
{
    if (may_send_frames(ep) &&
        tci_consumer_may_place(&ep->rx.ring, (uint64_t)granule * TCI_FRAME_GRANULE, size))
        return true;
    (void)tci_ep_fail_with(
        ep, TC_E_CORRUPT, "peer sent %zu bytes for place %u of its ring, where %s", size,
        granule * TCI_FRAME_GRANULE,
        may_send_frames(ep) ? "they may not lie" : "it stores frames itself");
    return false;
}

void tci_ep_take_frames(tc_ep *ep, uint16_t granule, const uint8_t *bytes, size_t size)
{
    if (tci_ep_expects_frames(ep, granule, size) &&
        tci_consumer_place(&ep->rx.ring, (uint64_t)granule * TCI_FRAME_GRANULE, bytes, size))
        tci_ep_frames_came(ep);
}

void tci_ep_pause(tc_ep *ep)
{
    if (ep->state != TCI_EP_OPEN || ep->rx.paused)
        return;
    ep->rx.paused = true;
    ep->rx.paused_ns = tci_clock_ns();
    tci_ep_unwatch(ep);
}

void tci_ep_resume(tc_ep *ep)
{
    ep->rx.paused = false;
    tci_ep_frames_came(ep);
}

static void forget_use(tc_ep *ep)
{
    if (!ep->tx.used)
        return;
    tc_ep **at = &ep->core->used;
    while (*at != ep) {
        TCI_INVARIANT(ep_used, *at != NULL);
        at = &(*at)->tx.used_next;
    }
    *at = ep->tx.used_next;
    ep->tx.used = false;
}

/* The kinds of open peers decide which sources tc_progress and a sleep have to poll. */
static void count_peer(const tc_ep *ep, unsigned by)
{
    tci_core *core = ep->core;
    TCI_INVARIANT(ep_peers, by == 1 || ep->tx.push == NULL || core->am_peers > 0);
    TCI_INVARIANT(ep_peers, by == 1 || ep->tx.push != NULL ||
                                ep->rx.arrival.frames_by_message || core->storing_peers > 0);
    const bool is_by_message = ep->tx.push != NULL || !ep->rx.arrival.ring_is_mapped;
    if (is_by_message)
        core->am_peers += by;
    if (is_by_message && ep->rx.records == NULL)
        core->ucx_peers += by;
    if (ep->tx.delivery->ops->credit == NULL || !ep->rx.arrival.frames_by_message)
        core->storing_peers += by;
    tci_pending_set(&core->pending, TCI_POLL_UCX, core->am_peers > 0);
}

void tci_ep_open(tc_ep *ep)
{
    tci_core *core = ep->core;
    TCI_INVARIANT(ep_state, tci_ep_state_may_follow(ep->state, TCI_EP_OPEN));
    TCI_INVARIANT_IS(ep_handshakes, core->handshakes, >, 0);
    TCI_INVARIANT(ep_ready, ep->tx.delivery != NULL && ep->rx.region != NULL);
    ep->state = TCI_EP_OPEN;
    ep->rx.held = true;
    ep->life.opened = true;
    tci_ep_set_fast(ep);
    core->handshakes--;
    tci_pending_add(&core->pending, TCI_WORK_STATE);
    count_peer(ep, 1);
    core->counters[TCI_ENDPOINTS_OPENED]++;
    tci_limits_note_state(ep, NULL);
    core->events->opened(ep);
    if (ep->tx.queue != NULL)
        tci_pending_add(&core->pending, TCI_WORK_QUEUE);
}

void tci_ep_announced(tc_ep *ep)
{
    ep->rx.held = false;
    tci_ep_frames_came(ep);
}

/* States below OPEN count as handshakes, OPEN ones may count as am peers. Every end is taken
 * out of these counts here. */
void tci_ep_leave_state(tc_ep *ep)
{
    TCI_INVARIANT(ep_handshakes, ep->state >= TCI_EP_OPEN || ep->core->handshakes > 0);
    if (ep->state < TCI_EP_OPEN)
        ep->core->handshakes--;
    if (ep->state != TCI_EP_OPEN)
        return;
    tci_ep_unwatch(ep);
    forget_use(ep);
    count_peer(ep, -1u);
}

void tci_ep_set_fast(tc_ep *ep)
{
    bool fast = tci_ep_takes_messages(ep) && ep->tx.queue == NULL && ep->tx.large == NULL &&
                !ep->tx.building && ep->tx.hold == NULL;
    ep->tx.frame_limit = !fast ? 0
                         : ep->tx.payload_max < TCI_STAGING_PAYLOAD_MIN
                             ? ep->tx.payload_max + 1
                             : TCI_STAGING_PAYLOAD_MIN;
    const bool checked = ep->core->checks_users;
    ep->tx.fast_limit = checked ? 0 : tci_ep_short_limit(ep);
    ep->tx.quick_limit = checked ? 0 : ep->tx.frame_limit;
    TCI_INVARIANT(send_fast,
                  ep->tx.fast_limit == 0 || (ep->tx.push == NULL && ep->tx.queue == NULL &&
                                             tci_ep_takes_messages(ep)));
}

/* Grants no credit from now on, so that the fast path of tc_send fails and the slow path finds
 * the reason. */
static void stop_sending(tc_ep *ep)
{
    ep->tx.coalesced_lost = ep->tx.coalesced_count;
    ep->tx.coalesced_count = 0;
    ep->tx.ring.unsignalled_count = 0; /* the ring has them, so they are counted there */
    ep->tx.ring.limit = 0;
    ep->tx.ring.reserve = 0;
    ep->tx.ring.broken = true;
}

/* A function may end the endpoint of the message that it runs on. Dispatch keeps the ring's
 * state in registers meanwhile, out of reach from here, but it reads the slot of each
 * message. */
static void stop_running(tc_ep *ep)
{
    for (size_t slot = 0; slot < ep->rx.slot_count; slot++)
        ep->rx.slots[slot].main = NULL, ep->rx.slots[slot].callable = false;
}

static void end(tc_ep *ep, tci_ep_state state)
{
    TCI_INVARIANT(ep_state, tci_ep_state_may_follow(ep->state, state));
    /* Reads the peer's last credit: a flush that is under way may have nothing left to wait
     * for. */
    if (ep->tx.delivery != NULL)
        tci_producer_refresh(&ep->tx.ring);
    tci_ep_leave_state(ep);
    ep->state = state;
    tci_pending_add(&ep->core->pending, TCI_WORK_STATE);
    stop_sending(ep);
    stop_running(ep);
    tci_ep_set_fast(ep);
}

/* Any process that reaches a listener can cause endpoints that never open, as often as it
 * likes. */
static bool is_strangers(const tc_ep *ep)
{
    return ep->life.owner == TCI_OWNER_CONTEXT && !ep->life.opened;
}

void tci_ep_fail(tc_ep *ep, const tc_error *error)
{
    if (ep->state >= TCI_EP_CLOSED)
        return;
    end(ep, TCI_EP_FAILED);
    ep->core->counters[TCI_ENDPOINTS_FAILED]++;
    ep->life.error = malloc(sizeof *ep->life.error);
    if (ep->life.error != NULL)
        *ep->life.error = *error;
    tci_limits_note_state(ep, error);
    if (is_strangers(ep))
        TC_LOG_RATIONED(&ep->core->log, TC_LOG_INFO, "endpoint %u: failed: %s", ep->connection,
                        error->text);
    else
        TC_LOG(TC_LOG_INFO, "endpoint %u: failed: %s", ep->connection, error->text);
}

tc_status tci_ep_fail_with(tc_ep *ep, tc_status status, const char *fmt, ...)
{
    char text[TC_ERROR_TEXT_MAX];
    tc_error error;
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    tci_error_set(&error, status, "%s", text);
    tci_ep_fail(ep, &error);
    return status;
}

void tci_ep_finish(tc_ep *ep)
{
    if (ep->state >= TCI_EP_CLOSED)
        return;
    end(ep, TCI_EP_CLOSED);
    tci_limits_note_state(ep, NULL);
    if (is_strangers(ep))
        TC_LOG_RATIONED(&ep->core->log, TC_LOG_INFO, "endpoint %u: closed", ep->connection);
    else
        TC_LOG(TC_LOG_INFO, "endpoint %u: closed", ep->connection);
}

void tci_ep_part(tc_ep *ep)
{
    if (ep->peer.gave_up != NULL)
        tci_ep_fail(ep, ep->peer.gave_up);
    else if (tci_ep_is_open(ep) && tci_consumer_has_frame(&ep->rx.ring))
        (void)tci_ep_fail_with(ep, TC_E_PEER_LOST,
                               "peer lost: it closed the endpoint and took along the code that "
                               "some of its messages need");
    else
        tci_ep_finish(ep);
}

tc_status tci_ep_check_credit(tc_ep *ep)
{
    if (!tci_ep_is_open(ep) || !ep->tx.ring.broken)
        return TC_OK;
    return tci_ep_fail_with(ep, TC_E_PEER_LOST,
                            "peer lost: its count of consumed bytes ran wild");
}

tc_status tc_ep_error(const tc_ep *ep, tc_error *err)
{
    if (ep->state == TCI_EP_CLOSED)
        return tci_error_set(err, TC_E_CLOSED, "%s closed the endpoint",
                             ep->life.closed_here ? "this side" : "the peer");
    if (ep->state != TCI_EP_FAILED)
        return TC_OK;
    if (ep->life.error == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY,
                             "endpoint failed, and there was no memory for why");
    if (err != NULL)
        *err = *ep->life.error;
    return ep->life.error->status;
}

unsigned tc_ep_refusal(const tc_ep *ep, tc_error *err)
{
    if (ep->tx.refusal != NULL && err != NULL)
        *err = *ep->tx.refusal;
    return ep->tx.refusals;
}
