#include "context/arming.h"

#include "base/process_barrier.h"
#include "core/network_ops.h"
#include "endpoint/wakeup.h"

/* Returns whether an endpoint could have work that neither UCX nor a descriptor reports. Idle
 * peers that only send messages cause none, however many they are. */
static bool may_have_missed(const tci_core *core)
{
    return core->storing_peers > 0 || core->pending.credit_blocked || core->watched_count > 0 ||
           core->used != NULL || tci_pending_has(&core->pending, TCI_WORK_LISTED);
}

bool tci_arming_arm(tc_context *ctx)
{
    tci_armed armed = {.rung = tci_network_wakes(&ctx->core)};
    if (ctx->core.spares != NULL)
        ctx->core.spares->rest(ctx->core.spares);
    if (!may_have_missed(&ctx->core))
        return armed.rung;
    ctx->armed = true;
    for (tc_ep *ep = ctx->core.first; ep != NULL; ep = ep->next)
        tci_wakeup_arm(ep, &armed);
    ctx->core.pending.credit_blocked = armed.credit_blocked;
    if (armed.needs_barrier && !(ctx->can_be_rung && tci_process_barrier()))
        armed.rung = false;
    return armed.rung;
}

bool tci_arming_finds_work(tc_context *ctx, bool asks)
{
    if (tci_pending_has(&ctx->core.pending, TCI_WORK_AT_ONCE))
        return true;
    for (tc_ep *ep = ctx->armed ? ctx->core.first : NULL; ep != NULL; ep = ep->next) {
        if (tci_wakeup_finds_work(ep))
            return true;
    }
    return !tci_network_arm(&ctx->core, asks);
}

void tci_arming_disarm(tc_context *ctx)
{
    if (!ctx->armed)
        return;
    ctx->armed = false;
    for (tc_ep *ep = ctx->core.first; ep != NULL; ep = ep->next)
        tci_wakeup_disarm(ep);
}
