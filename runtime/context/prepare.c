/* Sending code ahead of the first message that needs it. */
#include "context/context_object.h"

#include "base/clock.h"
#include "base/error_text.h"
#include "context/wait.h"
#include "core/doorbell.h"
#include "transfer/frame_out.h"
#include "transfer/send_error.h"

#include <tc/ifunc.h>

static tc_status await(tc_context *ctx, uint64_t deadline_ns, tc_error *err)
{
    if (tci_wait_turn(ctx, deadline_ns) == TC_OK)
        return TC_OK;
    return tci_error_set(err, TC_E_TIMEOUT, "the peer has not made the function callable");
}

static tc_status send_ahead(tc_ep *ep, tc_ifunc *fn, uint64_t deadline_ns, tc_error *err)
{
    tc_context *ctx = tc_ep_context(ep);
    tc_status status;
    while ((status = tci_frame_out_prepare(ep, fn)) == TC_E_AGAIN && tci_ep_is_open(ep))
        TC_TRY(await(ctx, deadline_ns, err));
    tci_doorbell_after_frames(ep);
    return status == TC_OK ? TC_OK : tci_send_error_explain(ep, status, err);
}

static tc_status prepare_pinned(tc_ep *ep, tc_ifunc *fn, uint64_t deadline_ns, bool wait,
                                tc_error *err)
{
    tc_context *ctx = tc_ep_context(ep);
    ctx->idle_since_ns = 0;
    tc_status status = send_ahead(ep, fn, deadline_ns, err);
    if (status == TC_OK && wait) {
        ep->tx.preparing = fn->index;
        while (status == TC_OK && ep->tx.preparing == fn->index && tci_ep_is_open(ep))
            status = await(ctx, deadline_ns, err);
        ep->tx.preparing = TCI_PREPARING_NONE;
    }
    if (!tci_ep_is_open(ep))
        return tc_ep_error(ep, err);
    const uint8_t binding = ep->tx.bindings[fn->index];
    if (binding == TCI_TX_REFUSED || (status == TC_OK && binding == TCI_TX_UNKNOWN))
        return tci_send_error_explain(ep, TC_E_REFUSED, err);
    return status;
}

tc_status tc_ep_prepare(tc_ep *ep, tc_ifunc *fn, uint64_t timeout_ns, tc_error *err)
{
    if (tci_core_is_busy(ep->core))
        return tci_error_set(err, TC_E_BUSY, "tc_ep_prepare from inside an ifunc");
    bool wait = timeout_ns > 0;
    uint64_t deadline_ns =
        tci_deadline_after(wait ? timeout_ns : ep->core->options.close_timeout);
    tci_wait_pin(ep);
    tc_status status = prepare_pinned(ep, fn, deadline_ns, wait, err);
    tci_wait_unpin(ep);
    return status;
}
