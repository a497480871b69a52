/* Sending that waits instead of returning TC_E_AGAIN, and the reason why a send failed. */
#include "context/context_object.h"

#include "base/clock.h"
#include "base/error_text.h"
#include "context/wait.h"
#include "core/sole_user.h"
#include "core/task_turns.h"
#include "core/tasks_ops.h"
#include "transfer/send_error.h"

#include <tc/ifunc.h>

tc_status tc_send_error(const tc_context *ctx, tc_error *err)
{
    return tci_send_error_read(&ctx->core, err);
}

static tc_status send_pinned(tc_ep *ep, tc_ifunc *fn, const void *source_args, size_t size,
                             uint64_t timeout_ns)
{
    tc_context *ctx = tc_ep_context(ep);
    uint64_t deadline_ns = tci_deadline_after(timeout_ns);
    tc_status status;
    ctx->idle_since_ns = 0;
    while ((status = tc_send(ep, fn, source_args, size)) == TC_E_AGAIN)
        TC_TRY(tci_wait_turn(ctx, deadline_ns));
    return status;
}

tc_status tc_send_wait(tc_ep *ep, tc_ifunc *fn, const void *source_args, size_t size,
                       uint64_t timeout_ns, tc_error *err)
{
    if (tci_tasks_may_wait(ep->core))
        return ep->core->tasks->ops->send(ep, fn, source_args, size, timeout_ns, err);
    if (tci_core_is_busy(ep->core))
        return tci_error_set(err, TC_E_BUSY,
                             "tc_send_wait waits, so not from inside an ifunc that is not "
                             "TC_THREADED (tc/task.h)");
    tc_status status = tc_send(ep, fn, source_args, size);
    if (status == TC_E_AGAIN) {
        tc_context *ctx = tc_ep_context(ep);
        bool entered = tci_guests_enter_call(ctx, "tc_send_wait");
        tci_wait_pin(ep);
        status = send_pinned(ep, fn, source_args, size, timeout_ns);
        tci_wait_unpin(ep);
        tci_sole_user_leave(&ctx->core, entered);
    }
    if (status == TC_E_TIMEOUT)
        return tci_error_set(err, status, TCI_LATE_SEND);
    if (status == TC_E_BUSY && tc_send_error(tc_ep_context(ep), NULL) != TC_E_BUSY)
        return tci_error_set(err, status,
                             "a thread serves the context, and this one does not "
                             "hold its lock");
    if (status != TC_OK)
        (void)tc_send_error(tc_ep_context(ep), err);
    return status;
}
