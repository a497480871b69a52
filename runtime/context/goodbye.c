/* Goodbyes: the end of endpoints without a turn of tc_progress. */
#include "context/goodbye.h"

#include "base/backoff.h"
#include "base/clock.h"
#include "base/logger.h"
#include "core/credit.h"
#include "core/doorbell.h"
#include "core/ep_message.h"
#include "core/ep_state.h"
#include "core/network_ops.h"
#include "endpoint/ep_life.h"
#include "transfer/frame_out.h"
#include "transfer/queue_drain.h"

static tc_ep *at_or_after(const tci_company *c, tc_ep *ep)
{
    while (ep != NULL && c->group != NULL && ep->member.group != c->group)
        ep = ep->next;
    return ep;
}

tc_ep *tci_goodbye_first(const tci_company *c)
{
    return c->only != NULL ? c->only : at_or_after(c, c->core->first);
}

tc_ep *tci_goodbye_next(const tci_company *c, const tc_ep *ep)
{
    return c->only != NULL ? NULL : at_or_after(c, ep->next);
}

/* Returns whether all open endpoints are so. Asks each, because asking may begin work. */
static bool all_open_are(const tci_company *c, bool (*is_so)(tc_ep *ep))
{
    bool all = true;
    for (tc_ep *ep = tci_goodbye_first(c); ep != NULL; ep = tci_goodbye_next(c, ep))
        all &= !tci_ep_is_open(ep) || is_so(ep);
    return all;
}

/* --- flushing ---------------------------------------------------------------------------- */

void tci_goodbye_urge(tc_ep *ep)
{
    if (!tci_ep_is_open(ep))
        return;
    tci_sender_commit_coalesced(&ep->tx);
    tci_doorbell_after_frames(ep);
}

void tci_goodbye_begin_flush(tc_ep *ep)
{
    if (tci_ep_is_open(ep))
        ep->tx.flush_target = 0;
    tci_goodbye_urge(ep);
}

/* Returns whether messages wait for a member of a group that has not come yet. */
bool tci_goodbye_awaits_member(const tc_ep *ep)
{
    return ep->state < TCI_EP_OPEN && tci_queue_has_messages(ep);
}

bool tci_goodbye_has_run(tc_ep *ep, uint64_t *target)
{
    if (!tci_ep_is_open(ep))
        return !tci_goodbye_awaits_member(ep);
    if (tci_queue_waits(ep))
        return false;
    if (*target == 0) {
        if (!tci_producer_drained(&ep->tx.ring) && ep->tx.delivery->ops->credit != NULL)
            tci_frame_out_control(ep, TCI_CONTROL_CREDIT, 0, NULL, 0);
        *target = ep->tx.ring.tail;
    }
    tci_producer_refresh(&ep->tx.ring);
    return ep->tx.ring.consumed_seen >= *target;
}

bool tci_goodbye_is_flushed(tc_ep *ep)
{
    return tci_goodbye_has_run(ep, &ep->tx.flush_target);
}

/* --- saying goodbye ---------------------------------------------------------------------- */

static bool link_is_flushed(tc_ep *ep)
{
    return tci_link_flush_ended(ep->link);
}

static bool link_turn(tc_ep *ep)
{
    return tci_link_turn(ep->link);
}

/* No message is run meanwhile, so no endpoint is freed. */
static void await_all(const tci_company *c, bool (*is_so)(tc_ep *ep), uint64_t deadline_ns)
{
    tci_backoff backoff = {0};
    while (!all_open_are(c, is_so) && tci_clock_ns() < deadline_ns) {
        (void)all_open_are(c, link_turn);
        if (tci_network_progress(c->core) == 0)
            tci_backoff_pause(&backoff, deadline_ns);
    }
}

static void return_credit(tc_ep *ep)
{
    if (tci_credit_return_last(ep))
        tci_link_flush_begin(ep->link);
}

/* A goodbye by active message leaves only while UCX is progressed. */
static void say_goodbye(tc_ep *ep)
{
    ep->life.closed_here = true;
    if (ep->life.gave_up)
        tci_ep_message_give_up(
            ep, ep->life.close_wanted
                    ? "closed inside a function or callback: messages may be lost"
                    : "closed at close_timeout: messages may be lost");
    else
        tci_ep_message_bye(ep);
    tci_ep_message_flush_begin(ep);
}

void tci_goodbye_to_all_open(const tci_company *c, void (*act)(tc_ep *ep))
{
    for (tc_ep *ep = tci_goodbye_first(c); ep != NULL; ep = tci_goodbye_next(c, ep)) {
        if (tci_ep_is_open(ep))
            act(ep);
    }
}

/* A goodbye must overtake neither frames nor the last credit. */
void tci_goodbye_say(const tci_company *c, uint64_t deadline_ns)
{
    await_all(c, tci_credit_frames_have_arrived, deadline_ns);
    tci_goodbye_to_all_open(c, return_credit);
    await_all(c, link_is_flushed, deadline_ns);
    tci_goodbye_to_all_open(c, say_goodbye);
    await_all(c, tci_ep_message_has_left, deadline_ns);
}

/* --- the end ----------------------------------------------------------------------------- */

/* A goodbye states that all messages have arrived. Those in a ring that was written to directly
 * have; frames that a delivery carries are in this side's memory until they are credited. */
bool tci_goodbye_may_lose(const tc_ep *ep)
{
    bool carried = ep->tx.push != NULL && ep->tx.ring.consumed_seen < ep->tx.message_end;
    return carried || tci_queue_waits(ep) || ep->tx.large != NULL;
}

/* Drains the queue, then returns whether no message can be lost, or all are flushed. */
static bool has_settled(tc_ep *ep)
{
    tci_queue_drain(ep);
    return !tci_goodbye_may_lose(ep) || tci_goodbye_is_flushed(ep);
}

static bool is_consumed(tc_ep *ep)
{
    tci_queue_drain(ep);
    return tci_goodbye_is_flushed(ep);
}

bool tci_goodbye_settle(const tci_company *c, uint64_t deadline_ns)
{
    tci_goodbye_to_all_open(c, tci_goodbye_begin_flush);
    await_all(c, is_consumed, deadline_ns);
    return all_open_are(c, is_consumed);
}

/* No message is run here, so those that the peer does not take in that time count as lost. */
void tci_goodbye_end(tc_ep *ep, uint64_t deadline_ns)
{
    const tci_company one = {.core = ep->core, .only = ep};
    tci_goodbye_begin_flush(ep);
    await_all(&one, has_settled, deadline_ns);
    ep->life.gave_up = tci_ep_is_open(ep) && tci_goodbye_may_lose(ep);
    if (ep->life.gave_up)
        TC_LOG(TC_LOG_WARN, "endpoint %u: closed with messages under way", ep->connection);
    tci_goodbye_say(&one, deadline_ns);
    tci_ep_free(ep);
}
