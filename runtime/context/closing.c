/* Flushing and closing. Endpoints that end together wait together: however many peers do not
 * answer, the option close_timeout passes only once. */
#include "context/closing.h"

#include "base/backoff.h"
#include "base/clock.h"
#include "base/error_text.h"
#include "base/logger.h"
#include "context/interrupt.h"
#include "context/progress.h"
#include "context/wait.h"
#include "core/credit.h"
#include "core/doorbell.h"
#include "core/ep_message.h"
#include "core/ep_state.h"
#include "core/sole_user.h"
#include "endpoint/ep_life.h"
#include "transfer/frame_out.h"
#include "transfer/queue_drain.h"

/* Endpoints that end together. Any of them may end by itself, and be freed, in a turn of
 * tc_progress. */
typedef struct company {
    tci_core *core;
    tc_ep *only;           /* NULL: several */
    const tc_group *group; /* NULL: all of the core */
} company;

static tc_ep *at_or_after(const company *c, tc_ep *ep)
{
    while (ep != NULL && c->group != NULL && !tci_group_has_ep(c->group, ep))
        ep = ep->next;
    return ep;
}

static tc_ep *first_of(const company *c)
{
    return c->only != NULL ? c->only : at_or_after(c, c->core->first);
}

static tc_ep *next_of(const company *c, const tc_ep *ep)
{
    return c->only != NULL ? NULL : at_or_after(c, ep->next);
}

/* Returns whether all open endpoints are so. Asks each, because asking may begin work. */
static bool all_open_are(const company *c, bool (*is_so)(tc_ep *ep))
{
    bool all = true;
    for (tc_ep *ep = first_of(c); ep != NULL; ep = next_of(c, ep))
        all &= !tci_ep_is_open(ep) || is_so(ep);
    return all;
}

/* --- flushing ---------------------------------------------------------------------------- */

static void begin_flush(tc_ep *ep)
{
    if (!tci_ep_is_open(ep))
        return;
    ep->tx.flush_target = 0;
    tci_sender_commit_coalesced(&ep->tx);
    tci_doorbell_after_frames(ep);
}

/* Returns whether messages wait for a member of a group that has not come yet. */
static bool awaits_member(const tc_ep *ep)
{
    return ep->state < TCI_EP_OPEN && tci_queue_has_messages(ep);
}

/* The position to wait for is known once the queue is empty. */
static bool is_flushed(tc_ep *ep)
{
    if (!tci_ep_is_open(ep))
        return !awaits_member(ep);
    if (tci_queue_waits(ep))
        return false;
    if (ep->tx.flush_target == 0) {
        if (!tci_producer_drained(&ep->tx.ring) && ep->tx.delivery->ops->credit != NULL)
            tci_frame_out_control(ep, TCI_CONTROL_CREDIT, 0, NULL, 0);
        ep->tx.flush_target = ep->tx.ring.tail;
    }
    tci_producer_refresh(&ep->tx.ring);
    return ep->tx.ring.consumed_seen >= ep->tx.flush_target;
}

static bool all_are_flushed(void *arg)
{
    const company *c = arg;
    bool all = true;
    for (tc_ep *ep = first_of(c); ep != NULL; ep = next_of(c, ep))
        all &= is_flushed(ep);
    return all;
}

static tc_status flush(company *c, uint64_t timeout_ns)
{
    tc_context *ctx = c->core->context;
    tci_patience patience = tci_interrupt_patience(ctx, timeout_ns);
    const tci_awaited flushed = {.is_there = all_are_flushed, .arg = c, .is_silent = true};
    ctx->idle_since_ns = 0;
    for (tc_ep *ep = first_of(c); ep != NULL; ep = next_of(c, ep))
        begin_flush(ep);
    while (!all_are_flushed(c))
        TC_TRY(tci_wait_patient_turn(ctx, &patience, &flushed));
    return TC_OK;
}

static tc_status outcome_of_flush(tc_ep *ep, tc_error *err)
{
    if (tci_ep_is_open(ep)) {
        /* A refusal is written before the credit for its message, so one turn finds it. */
        tci_wait_look(tc_ep_context(ep));
        return TC_OK;
    }
    bool all_run = ep->tx.flush_target > 0 && ep->tx.ring.consumed_seen >= ep->tx.flush_target;
    return all_run ? TC_OK : tc_ep_error(ep, err);
}

static tc_status flush_one(tc_ep *ep, uint64_t timeout_ns, tc_error *err)
{
    company one = {.core = ep->core, .only = ep};
    tci_wait_pin(ep);
    tc_status status = flush(&one, timeout_ns);
    if (status == TC_OK)
        status = outcome_of_flush(ep, err);
    else
        tci_error_fill(err, status, "the peer has not run all messages in time");
    tci_wait_unpin(ep);
    return status;
}

tc_status tc_ep_flush(tc_ep *ep, uint64_t timeout_ns, tc_error *err)
{
    if (tci_core_is_busy(ep->core))
        return tci_error_set(err, TC_E_BUSY, "tc_ep_flush waits, so not from inside an ifunc");
    bool entered = tci_guests_enter_call(tc_ep_context(ep), "tc_ep_flush");
    tc_status status = flush_one(ep, timeout_ns, err);
    ep->tx.flush_target = 0;
    tci_sole_user_leave(ep->core, entered);
    return status;
}

/* --- saying goodbye ---------------------------------------------------------------------- */

static bool link_is_flushed(tc_ep *ep)
{
    return tci_link_flush_ended(ep->link);
}

static bool goodbye_has_left(tc_ep *ep)
{
    return ep->stream != NULL && !tci_link_is_stream(ep->link)
               ? tci_stream_flush(ep->stream, NULL) != TC_E_AGAIN
               : tci_link_flush_ended(ep->link);
}

static bool link_turn(tc_ep *ep)
{
    return tci_link_turn(ep->link);
}

/* No message is run meanwhile, so no endpoint is freed. */
static void await_all(const company *c, bool (*is_so)(tc_ep *ep), uint64_t deadline_ns)
{
    tci_backoff backoff = {0};
    while (!all_open_are(c, is_so) && tci_clock_ns() < deadline_ns) {
        (void)all_open_are(c, link_turn);
        if (tci_worker_progress(c->core->worker) == 0)
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
    if (ep->life.gave_up && ep->life.close_wanted)
        tci_ep_message_give_up(ep, "it closed the endpoint inside a function or a callback, "
                                   "and some of its messages may not have come");
    else if (ep->life.gave_up)
        tci_ep_message_give_up(ep, "it closed the endpoint after the option close_timeout, and "
                                   "some of its messages may not have come");
    else
        tci_ep_message_bye(ep);
    if (ep->stream == NULL || tci_link_is_stream(ep->link))
        tci_link_flush_begin(ep->link);
}

static void to_all_open(const company *c, void (*act)(tc_ep *ep))
{
    for (tc_ep *ep = first_of(c); ep != NULL; ep = next_of(c, ep)) {
        if (tci_ep_is_open(ep))
            act(ep);
    }
}

/* A goodbye must overtake neither frames nor the last credit. */
static void say_goodbyes(const company *c, uint64_t deadline_ns)
{
    await_all(c, tci_credit_frames_have_arrived, deadline_ns);
    to_all_open(c, return_credit);
    await_all(c, link_is_flushed, deadline_ns);
    to_all_open(c, say_goodbye);
    await_all(c, goodbye_has_left, deadline_ns);
}

/* --- closing ----------------------------------------------------------------------------- */

/* A peer that closes at the same time reads no more control frames. Their loss is harmless. */
static bool has_messages_under_way(const tc_ep *ep)
{
    return ep->tx.push == NULL || ep->tx.ring.consumed_seen < ep->tx.message_end ||
           tci_queue_waits(ep);
}

/* A goodbye states that all messages have arrived. Those in a ring that was written to directly
 * have; frames that a delivery carries are in this side's memory until they are credited. */
static bool may_lose_messages(const tc_ep *ep)
{
    bool carried = ep->tx.push != NULL && ep->tx.ring.consumed_seen < ep->tx.message_end;
    return carried || tci_queue_waits(ep) || ep->tx.large != NULL;
}

/* Drains the queue, then returns whether no message can be lost, or all are flushed. */
static bool has_settled(tc_ep *ep)
{
    tci_queue_drain(ep);
    return !may_lose_messages(ep) || is_flushed(ep);
}

/* No message is run here, so those that the peer does not take in that time count as lost. */
void tci_closing_end(tc_ep *ep, uint64_t deadline_ns)
{
    const company one = {.core = ep->core, .only = ep};
    begin_flush(ep);
    await_all(&one, has_settled, deadline_ns);
    ep->life.gave_up = tci_ep_is_open(ep) && may_lose_messages(ep);
    if (ep->life.gave_up)
        TC_LOG(TC_LOG_WARN, "endpoint %u: closed with messages under way", ep->connection);
    say_goodbyes(&one, deadline_ns);
    tci_ep_free(ep);
}

static void note_lost(tc_ep *ep)
{
    ep->life.gave_up = may_lose_messages(ep);
    bool waits = ep->tx.flush_target == 0 || ep->tx.ring.consumed_seen < ep->tx.flush_target ||
                 tci_queue_waits(ep);
    if (waits && has_messages_under_way(ep))
        TC_LOG(TC_LOG_WARN, "endpoint %u: closed with messages under way", ep->connection);
}

static void tell_unsent(const company *c)
{
    for (tc_ep *ep = first_of(c); ep != NULL; ep = next_of(c, ep)) {
        if (awaits_member(ep))
            TC_LOG(TC_LOG_WARN,
                   "endpoint %u: closed with messages for a member that never came",
                   ep->connection);
    }
}

void tci_closing_all(tc_context *ctx, tc_group *group)
{
    company c = {.core = &ctx->core, .group = group};
    tc_ep *ep;
    if (flush(&c, ctx->core.options.close_timeout) != TC_OK) {
        to_all_open(&c, note_lost);
        tell_unsent(&c);
    }
    say_goodbyes(&c, tci_deadline_after(TCI_GOODBYE_NS));
    if (group != NULL)
        group->ending = true;
    while ((ep = first_of(&c)) != NULL) {
        tci_progress_tell_end(ctx, ep, TC_EP_CLOSED);
        tci_ep_free(ep);
    }
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
    const company one = {.core = core, .only = ep};
    bool entered = tci_guests_enter_call(core->context, "tc_ep_close");
    if (flush_one(ep, core->options.close_timeout, NULL) != TC_OK)
        to_all_open(&one, note_lost);
    say_goodbyes(&one, tci_deadline_after(TCI_GOODBYE_NS));
    tci_ep_free(ep);
    tci_sole_user_leave(core, entered);
}
