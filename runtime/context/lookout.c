/* The wait instruction watches one line, and there may be several rings: the ring that last had
 * a frame is watched, and the others are polled when a bound is over. So senders need not touch
 * a shared line, which would cost each message a transfer of it (docs/decisions/waiting.md). */
#include "context/lookout.h"

#include "base/arch.h"
#include "base/line_wait.h"

/* Polls between two turns: one takes as long as a pause, and every sixteen more rings add as
 * much, so that all together take some two microseconds. */
#define LOOKS_MAX 64u
#define RINGS_PER_PAUSE 16u
/* How long the line of one ring is watched: the only ring; one of several; one of those while
 * work may come that no ring shows. */
#define ALONE_NS 2000u
#define AMONG_OTHERS_NS 200u
#define BESIDE_NS 100u

/* Returns whether all work comes by rings. */
static bool rings_tell_all(const tci_core *core, bool silent)
{
    return !silent && core->watched_count > 0 && tci_pending_causes(&core->pending) == 0 &&
           !core->pending.credit_blocked && !core->pending.space_wanted &&
           core->registry.jobs == NULL;
}

/* Returns how long to watch a line. 0: no ring, or no instruction that would end in time. */
static uint64_t line_bound_ns(const tci_core *core, bool rings_alone)
{
    if (rings_alone && core->watched_count == 1)
        return ALONE_NS;
    if (core->watched_count == 0 || !tci_line_wait_is_bounded())
        return 0;
    return rings_alone ? AMONG_OTHERS_NS : BESIDE_NS;
}

static void watch_line(tc_context *ctx, uint64_t bound_ns)
{
    const tci_core *core = &ctx->core;
    if (ctx->spoke_last >= core->watched_count)
        ctx->spoke_last = 0;
    const tci_watched_ring *ring = &core->watched[ctx->spoke_last];
    tci_line_wait((const uint64_t *)(const void *)ring->frame, ring->signal, bound_ns);
}

/* Returns whether a ring has a frame, and notes that ring: its line is watched next. */
static bool somebody_has_spoken(tc_context *ctx)
{
    const tci_watched_ring *watched = ctx->core.watched;
    for (size_t i = 0; i < ctx->core.watched_count; i++) {
        if (tci_ring_load_signal(watched[i].frame) != watched[i].signal)
            continue;
        ctx->spoke_last = i;
        return true;
    }
    return false;
}

void tci_lookout(tc_context *ctx, tci_wait_choice manner, bool silent)
{
    const tci_core *core = &ctx->core;
    const bool rings_alone = rings_tell_all(core, silent);
    const uint64_t bound_ns = manner == TCI_WAIT_LINE ? line_bound_ns(core, rings_alone) : 0;
    size_t looks = 0;
    if (rings_alone)
        looks = bound_ns > 0
                    ? ALONE_NS / bound_ns
                    : LOOKS_MAX * RINGS_PER_PAUSE / (RINGS_PER_PAUSE + core->watched_count);
    do {
        if (bound_ns > 0)
            watch_line(ctx, bound_ns);
        else if (manner != TCI_WAIT_SPIN)
            TCI_ARCH_PAUSE();
        ctx->core.counters[TCI_IDLE_LOOKS]++;
    } while (!somebody_has_spoken(ctx) && looks-- > 1);
}
