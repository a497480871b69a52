#include "context/ep_callback.h"

/* A callback of the program follows the rules of an ifunc: no progress, and closing waits until
 * it is over. */
static void call_program(tc_context *ctx, tc_ep *ep, tc_ep_event event)
{
    if (ctx->callback == NULL)
        return;
    (void)tci_pending_enter(&ctx->core.pending, TCI_RUNNING);
    ctx->callback(ctx->callback_user, ep, event);
    tci_pending_leave(&ctx->core.pending, TCI_RUNNING, 0);
}

void tci_ep_callback_opened(tc_ep *ep)
{
    if (!tci_ep_is_held(ep) || tci_ep_callback_is_withheld(ep) ||
        ep->life.owner == TCI_OWNER_PROGRAM)
        return;
    call_program(ep->core->context, ep, TC_EP_OPENED);
    tci_ep_announced(ep);
}

void tci_ep_callback_end(tc_context *ctx, tc_ep *ep, tc_ep_event event)
{
    if (ep->life.ended_notified)
        return;
    ep->life.ended_notified = true;
    if ((ep->life.opened && !tci_ep_is_held(ep)) || ep->life.owner != TCI_OWNER_CONTEXT)
        call_program(ctx, ep, event);
}
