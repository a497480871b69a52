/* Flushing, closing and finishing. Endpoints that end together wait together: however many
 * peers do not answer, the option close_timeout passes only once. */
#include "context/closing.h"

#include "base/clock.h"
#include "base/error_text.h"
#include "base/logger.h"
#include "context/ep_callback.h"
#include "context/goodbye.h"
#include "context/interrupt.h"
#include "context/wait.h"
#include "core/sole_user.h"
#include "core/task_turns.h"
#include "core/tasks_ops.h"
#include "endpoint/ep_life.h"
#include "transfer/queue_drain.h"
#include "transfer/started.h"

/* --- flushing ---------------------------------------------------------------------------- */

static bool all_are_flushed(void *arg)
{
    const tci_company *c = arg;
    bool all = true;
    for (tc_ep *ep = tci_goodbye_first(c); ep != NULL; ep = tci_goodbye_next(c, ep))
        all &= tci_goodbye_is_flushed(ep);
    return all;
}

static tc_status flush(tci_company *c, uint64_t timeout_ns)
{
    tc_context *ctx = c->core->context;
    tci_patience patience = tci_interrupt_patience(ctx, timeout_ns);
    const tci_awaited flushed = {.is_there = all_are_flushed, .arg = c, .is_silent = true};
    ctx->idle_since_ns = 0;
    for (tc_ep *ep = tci_goodbye_first(c); ep != NULL; ep = tci_goodbye_next(c, ep))
        tci_goodbye_begin_flush(ep);
    while (!all_are_flushed(c))
        TC_TRY(tci_wait_patient_turn(ctx, &patience, &flushed));
    return TC_OK;
}

/* A refusal is written before the credit for its message, so it has come. One turn finds it,
 * unless the list of rings has changed meanwhile: then a turn may miss a ring (tci_ep_unwatch),
 * but each such turn leaves a ring less before it. */
static void run_refusals(tc_ep *ep)
{
    size_t turns = ep->core->watched_count;
    do
        tci_wait_look(tc_ep_context(ep));
    while (turns-- > 0 && tci_ep_is_open(ep) && tci_ep_has_frame(ep));
}

static tc_status outcome_of_flush(tc_ep *ep, tc_error *err)
{
    if (tci_ep_is_open(ep)) {
        run_refusals(ep);
        return TC_OK;
    }
    bool all_run = ep->tx.flush_target > 0 && ep->tx.ring.consumed_seen >= ep->tx.flush_target;
    return all_run ? TC_OK : tc_ep_error(ep, err);
}

typedef struct earlier_frames {
    const tc_ep *ep;
    uint64_t end;
} earlier_frames;

static bool have_run(void *arg)
{
    const earlier_frames *f = arg;
    return !tci_ep_is_open(f->ep) || !tci_ep_has_frame_before(f->ep, f->end);
}

/* A refusal may lie behind a message of the peer's that waits for its code, or for a quota. */
static void await_refusals(tc_ep *ep, uint64_t deadline_ns)
{
    earlier_frames frames = {ep, tci_ep_frames_end(ep)};
    const tci_awaited run = {.is_there = have_run, .arg = &frames, .is_silent = true};
    tc_context *ctx = tc_ep_context(ep);
    tci_patience patience = tci_interrupt_patience(ctx, tci_deadline_left_ns(deadline_ns));
    while (!have_run(&frames) && tci_wait_patient_turn(ctx, &patience, &run) == TC_OK) {
    }
}

static tc_status flush_one(tc_ep *ep, uint64_t timeout_ns, tc_error *err)
{
    tci_company one = {.core = ep->core, .only = ep};
    tci_wait_pin(ep);
    tc_status status = flush(&one, timeout_ns);
    if (status == TC_OK)
        status = outcome_of_flush(ep, err);
    else
        tci_error_fill(err, status, TCI_LATE_FLUSH);
    tci_wait_unpin(ep);
    return status;
}

tc_status tc_ep_flush(tc_ep *ep, uint64_t timeout_ns, tc_error *err)
{
    if (tci_tasks_may_wait(ep->core))
        return ep->core->tasks->ops->flush(ep, timeout_ns, err);
    if (tci_core_is_busy(ep->core))
        return tci_error_set(err, TC_E_BUSY,
                             "tc_ep_flush waits, so not from inside an ifunc that is not "
                             "TC_THREADED (tc/task.h)");
    const uint64_t deadline_ns = tci_deadline_after(timeout_ns);
    bool entered = tci_guests_enter_call(tc_ep_context(ep), "tc_ep_flush");
    tci_wait_pin(ep);
    tc_status status = flush_one(ep, timeout_ns, err);
    if (status == TC_OK)
        await_refusals(ep, deadline_ns);
    tci_wait_unpin(ep);
    ep->tx.flush_target = 0;
    tci_sole_user_leave(ep->core, entered);
    return status;
}

/* --- closing ----------------------------------------------------------------------------- */

/* A peer that closes at the same time reads no more control frames. Their loss is harmless. */
static bool has_messages_under_way(const tc_ep *ep)
{
    return ep->tx.push == NULL || ep->tx.ring.consumed_seen < ep->tx.message_end ||
           tci_queue_waits(ep);
}

static void note_lost(tc_ep *ep)
{
    ep->life.gave_up = tci_goodbye_may_lose(ep);
    bool waits = ep->tx.flush_target == 0 || ep->tx.ring.consumed_seen < ep->tx.flush_target ||
                 tci_queue_waits(ep);
    if (waits && has_messages_under_way(ep))
        TC_LOG(TC_LOG_WARN, "endpoint %u: closed with messages under way", ep->connection);
}

static void tell_unsent(const tci_company *c)
{
    for (tc_ep *ep = tci_goodbye_first(c); ep != NULL; ep = tci_goodbye_next(c, ep)) {
        if (tci_goodbye_awaits_member(ep))
            TC_LOG(TC_LOG_WARN,
                   "endpoint %u: closed with messages for a member that never came",
                   ep->connection);
    }
}

void tci_closing_all(tc_context *ctx, const tc_group *group, bool *said_out)
{
    tci_company c = {.core = &ctx->core, .group = group};
    tc_ep *ep;
    if (flush(&c, ctx->core.options.close_timeout) != TC_OK) {
        tci_goodbye_to_all_open(&c, note_lost);
        tell_unsent(&c);
    }
    tci_goodbye_say(&c, tci_deadline_after(TCI_GOODBYE_NS));
    if (said_out != NULL)
        *said_out = true;
    while ((ep = tci_goodbye_first(&c)) != NULL) {
        tci_ep_callback_end(ctx, ep, TC_EP_CLOSED);
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
    const tci_company one = {.core = core, .only = ep};
    bool entered = tci_guests_enter_call(core->context, "tc_ep_close");
    if (flush_one(ep, core->options.close_timeout, NULL) != TC_OK)
        tci_goodbye_to_all_open(&one, note_lost);
    tci_goodbye_say(&one, tci_deadline_after(TCI_GOODBYE_NS));
    tci_ep_free(ep);
    tci_started_report(core);
    tci_sole_user_leave(core, entered);
}

/* --- finishing --------------------------------------------------------------------------- */

/* The losses of endpoints that end together. */
typedef struct closing_loss {
    uint64_t messages;
    unsigned endpoints;  /* with a loss */
    uint64_t most;       /* messages of one endpoint */
    unsigned connection; /* of that endpoint */
    tc_error reason;     /* of its loss */
} closing_loss;

/* Messages that functions send while this side waits count, too. So the peers
 * consume first while functions run here, then for a moment while all rest, and again if that
 * was too short. Only the first part notices a peer that dies. */
static tc_status flush_to_the_end(tci_company *c, uint64_t timeout_ns)
{
    const uint64_t deadline_ns = tci_deadline_after(timeout_ns);
    uint64_t settled_ns;
    do {
        TC_TRY(flush(c, tci_deadline_left_ns(deadline_ns)));
        settled_ns = tci_deadline_after(TCI_GOODBYE_NS);
    } while (!tci_goodbye_settle(c, settled_ns < deadline_ns ? settled_ns : deadline_ns));
    return TC_OK;
}

static void note_gave_up(tc_ep *ep)
{
    ep->life.gave_up = tci_goodbye_may_lose(ep);
}

static void add_loss(closing_loss *loss, tc_ep *ep)
{
    tci_ep_notify_end(ep);
    if (ep->life.lost == 0)
        return;
    loss->messages += ep->life.lost;
    loss->endpoints++;
    if (ep->life.lost <= loss->most)
        return;
    loss->most = ep->life.lost;
    loss->connection = ep->connection;
    if (tc_ep_error(ep, &loss->reason) == TC_OK)
        tci_error_set(&loss->reason, TC_E_TIMEOUT, "%s",
                      tci_ep_is_open(ep) ? "the peer has not taken them in time"
                                         : "the endpoint did not open in time");
}

static tc_status report_loss(const closing_loss *loss, uint64_t *lost_out, tc_error *err)
{
    const unsigned long long messages = loss->messages;
    const char *plural = messages == 1 ? "" : "s";
    if (lost_out != NULL)
        *lost_out = loss->messages;
    if (loss->endpoints > 1)
        return tci_error_set(err, loss->reason.status,
                             "%llu message%s on %u endpoints may not have run; most of them on "
                             "endpoint %u: %s",
                             messages, plural, loss->endpoints, loss->connection,
                             loss->reason.text);
    if (loss->endpoints > 0)
        return tci_error_set(err, loss->reason.status, "%llu message%s may not have run: %s",
                             messages, plural, loss->reason.text);
    return TC_OK;
}

/* Ends all endpoints of the company and frees them. One that ends meanwhile is pinned, so that
 * its loss is counted here. */
static tc_status finish(tci_company *c, uint64_t timeout_ns, uint64_t *lost_out, tc_error *err)
{
    closing_loss loss = {0};
    tc_ep *ep;
    for (ep = tci_goodbye_first(c); ep != NULL; ep = tci_goodbye_next(c, ep))
        tci_wait_pin(ep);
    (void)!flush_to_the_end(c, timeout_ns > 0 ? timeout_ns : c->core->options.close_timeout);
    tci_goodbye_to_all_open(c, note_gave_up);
    tci_goodbye_say(c, tci_deadline_after(TCI_GOODBYE_NS));
    for (ep = tci_goodbye_first(c); ep != NULL;
         ep = c->only == NULL ? tci_goodbye_first(c) : NULL) {
        add_loss(&loss, ep);
        tci_ep_free(ep);
    }
    return report_loss(&loss, lost_out, err);
}

tc_status tci_closing_finish_all(tc_context *ctx, uint64_t timeout_ns, uint64_t *lost_out,
                                 tc_error *err)
{
    tci_company all = {.core = &ctx->core};
    return finish(&all, timeout_ns, lost_out, err);
}

tc_status tc_ep_finish(tc_ep *ep, uint64_t timeout_ns, uint64_t *lost_out, tc_error *err)
{
    if (ep == NULL)
        return report_loss(&(closing_loss){0}, lost_out, err);
    tci_core *core = ep->core;
    if (tci_core_is_busy(core))
        return tci_error_set(err, TC_E_BUSY, "tc_ep_finish waits, so not from inside an ifunc");
    tci_company one = {.core = core, .only = ep};
    bool entered = tci_guests_enter_call(core->context, "tc_ep_finish");
    tc_status status = finish(&one, timeout_ns, lost_out, err);
    tci_started_report(core);
    tci_sole_user_leave(core, entered);
    return status;
}
