/* Draining: the end of all endpoints of a context without the loss of an answer.
 *
 * A goodbye states that messages without credit have not run. It is true for calls only if
 * every function that began has answered, and each answer was taken. So a drain has four steps:
 *
 *   arrived   turns as usual, until one runs no message
 *   waiting   turns as usual while tasks wait (core/tasks_ops.h). core.drains has the module
 *             tasks answer calls that would begin one, so their number falls to 0
 *   settling  nothing runs here while the peers take their answers: every answer that was made
 *             gets taken. After a moment without that, a peer may be waiting for this side:
 *             turns as usual follow, and another attempt
 *   goodbye   context/closing.h, which finds all taken, and therefore runs nothing either
 *
 * The last two must have no turn between them: it could run a call whose answer then meets a
 * goodbye. */
#include "base/backoff.h"
#include "base/clock.h"
#include "base/error_text.h"
#include "base/logger.h"
#include "context/closing.h"
#include "context/goodbye.h"
#include "context/interrupt.h"
#include "context/wait.h"
#include "core/ep_state.h"
#include "core/handshake_ops.h"
#include "core/network_ops.h"
#include "core/sole_user.h"
#include "core/tasks_ops.h"
#include "endpoint/record_in.h"
#include "transfer/frame_out.h"
#include "transfer/queue_drain.h"

#define ARRIVED_NS 20000000ull /* the longest time for messages that had arrived */
#define LAST_NS                                                                                \
    1u /* not 0, the option close_timeout: all time was before, and no turn follows */

/* Closes the doors. */
static void begin(tc_context *ctx)
{
    while (ctx->listeners != NULL)
        tc_listener_close(ctx->listeners);
    ctx->address_given = false;
    ctx->core.drains = true;
}

/* An endpoint that opens first at its peer may have calls already: it gets the moment to open
 * here, or the peer would see a reset instead of a goodbye. */
static void run_arrived(tc_context *ctx)
{
    const uint64_t end_ns = tci_deadline_after(ARRIVED_NS);
    while ((tc_progress(ctx) > 0 || ctx->core.handshakes > 0) && tci_clock_ns() < end_ns)
        continue;
}

static bool no_task_waits(void *arg)
{
    const tci_core *core = arg;
    const tc_ep *ep = core->first;
    while (ep != NULL && ep->tasks == NULL)
        ep = ep->next;
    return ep == NULL;
}

static uint64_t earlier(uint64_t a_ns, uint64_t b_ns)
{
    return a_ns < b_ns ? a_ns : b_ns;
}

/* --- settling ---------------------------------------------------------------------------- */

static void for_all_open(const tci_core *core, void (*act)(tc_ep *ep))
{
    for (tc_ep *ep = core->first; ep != NULL; ep = ep->next) {
        if (tci_ep_is_open(ep))
            act(ep);
    }
}

static void link_turn(tc_ep *ep)
{
    (void)tci_link_turn(ep->link);
}

/* Sends waiting data, and reads credit. Frames that come with it stay in the ring. */
static void exchange(tci_core *core)
{
    tci_frame_out_end_turns(core);
    for_all_open(core, link_turn);
    for (tci_record_in *in = core->streams; in != NULL; in = in->next) {
        if (tci_ep_is_open(in->ep) && !in->ep->peer.said_bye)
            tci_handshake_ops_read(in->ep);
    }
}

/* Asks each, because asking may begin work. */
static bool all_is_taken(const tci_core *core)
{
    bool all = true;
    for (tc_ep *ep = core->first; ep != NULL; ep = ep->next) {
        if (!tci_ep_is_open(ep))
            continue;
        tci_queue_drain(ep);
        all &= tci_goodbye_is_flushed(ep);
    }
    return all;
}

/* Runs no message and frees no endpoint. Returns whether the peers have taken everything. */
static bool settle(tci_core *core, uint64_t deadline_ns)
{
    tci_backoff backoff = {0};
    bool all;
    for_all_open(core, tci_goodbye_begin_flush);
    while (!(all = all_is_taken(core)) && tci_clock_ns() < deadline_ns) {
        exchange(core);
        if (tci_network_progress(core) == 0)
            tci_backoff_pause(&backoff, deadline_ns);
    }
    return all;
}

/* --- serving ----------------------------------------------------------------------------- */

/* Returns after a moment in which no task waited and peers took all, without a turn since; or
 * when the time is over. */
static void serve_until_settled(tc_context *ctx, uint64_t deadline_ns)
{
    tci_core *core = &ctx->core;
    const tci_awaited none = {.is_there = no_task_waits, .arg = core, .is_silent = true};
    tci_patience patience = tci_interrupt_patience(ctx, tci_deadline_left_ns(deadline_ns));
    uint64_t taken_by_ns = 0; /* 0: tasks wait */
    ctx->idle_since_ns = 0;
    while (!tci_patience_is_over(&patience)) {
        if (!no_task_waits(core)) {
            taken_by_ns = 0;
            if (tci_wait_patient_turn(ctx, &patience, &none) != TC_OK)
                return;
            continue;
        }
        if (taken_by_ns == 0)
            taken_by_ns = tci_deadline_after(core->options.close_timeout);
        const uint64_t soon_ns = earlier(deadline_ns, tci_deadline_after(TCI_GOODBYE_NS));
        if (settle(core, soon_ns) || tci_clock_ns() >= taken_by_ns)
            return;
        run_arrived(ctx);
    }
}

/* Ends the waits of tasks that are left. Their functions may still answer. Returns TC_OK
 * without them. */
static tc_status end_tasks(tci_core *core, tc_error *err)
{
    const char *name = NULL;
    size_t count = 0;
    for (const tc_ep *ep = core->first; ep != NULL; ep = ep->next) {
        if (ep->tasks == NULL)
            continue;
        name = core->tasks->ops->waiting(ep);
        count += ep->task_count;
    }
    if (name == NULL)
        return TC_OK;
    /* First: the function may be gone afterwards. */
    (void)tci_error_set(err, TC_E_TIMEOUT,
                        "%zu function%s still waited when the time was over: '%s'%s", count,
                        count == 1 ? "" : "s", name, count == 1 ? "" : " and others");
    core->tasks->ops->finish_all(core);
    return TC_E_TIMEOUT;
}

tc_status tc_context_drain(tc_context *ctx, uint64_t timeout_ns, uint64_t *lost_out,
                           tc_error *err)
{
    tci_core *core = &ctx->core;
    tc_error why;
    uint64_t lost = 0;
    tci_guests_end_serving(ctx);
    if (tci_core_is_busy(core))
        return tci_error_set(err, TC_E_BUSY, "tc_context_drain was called %s",
                             tci_core_is_forked(core) ? "in a fork" : "from inside an ifunc");
    const bool entered = tci_sole_user_enter(core, "tc_context_drain");
    const uint64_t deadline_ns =
        tci_deadline_after(timeout_ns > 0 ? timeout_ns : core->options.close_timeout);
    begin(ctx);
    run_arrived(ctx);
    serve_until_settled(ctx, deadline_ns);
    const tc_status status = end_tasks(core, err);
    (void)settle(core, tci_deadline_after(TCI_GOODBYE_NS));
    if (tci_closing_finish_all(ctx, LAST_NS, &lost, &why) != TC_OK)
        TC_LOG(TC_LOG_WARN, "drain: %s", why.text);
    if (lost_out != NULL)
        *lost_out = lost;
    tci_sole_user_leave(core, entered);
    return status;
}
