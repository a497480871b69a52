/* tc_progress: polls rings first, and does all other work only when it is due.
 *
 * A turn does up to three kinds of work:
 *
 *   rings          One load for each watched ring; runs the frames found. A turn without
 *                  pending causes (core/pending.h) does only this.
 *   UCX, streams   When there are such causes, or some turns have passed: before the rings, so
 *                  that frames that they bring are run by the same turn.
 *   housekeeping   When the causes are work, functions are being loaded, or some turns have
 *                  passed: context/housekeeping.h.
 *
 * The common turn reads no clock, as that takes as long as a message, and touches no endpoint
 * without work, as one that the caches have dropped takes some 0.1 us.
 *
 * A turn must never run inside a shipped function or a callback: it then logs an error and does
 * no work. It must never run messages of an endpoint that the program does not know yet. It
 * must never drop unfinished work: its cause is added again, so that no sleep begins over it.
 * Where a thread serves the context, no other thread makes a turn. */
#include "context/progress.h"

#include "base/logger.h"
#include "context/arming.h"
#include "context/guests.h"
#include "context/housekeeping.h"
#include "core/network_ops.h"
#include "core/sole_user.h"
#include "core/tasks_ops.h"
#include "dispatch/dispatch.h"
#include "dispatch/inject_run.h"
#include "transfer/frame_out.h"

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
    if (run == 0)
        tci_awaited_frame_fetch(&core->awaited);
    if (core->used != NULL)
        tci_frame_out_end_turns(&ctx->core);
    return run;
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
    tci_arming_disarm(ctx);
    /* UCX first, so that frames that it puts into rings are run by this very call. With
     * connections alone it has its turn when other work is due. */
    if (ctx->core.ucx_peers > 0 || tci_pending_has(&ctx->core.pending, TCI_WORK) ||
        ctx->countdown <= 0)
        (void)tci_network_progress(&ctx->core);
    unsigned run = ctx->core.streams != NULL ? tci_housekeeping_streams(ctx) : 0;
    run += poll_rings(ctx);
    if (tci_pending_has(&ctx->core.pending, TCI_WORK_TASKS))
        ctx->core.tasks->ops->turn(&ctx->core);
    if (run == 0)
        tci_inject_get_ahead(&ctx->core);
    ctx->countdown--;
    if (!tci_housekeeping_is_due(ctx))
        return run;
    run += tci_housekeeping(ctx);
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
