#include "modules/tasks/task_calls.h"

#include "context/context_object.h"
#include "context/goodbye.h"
#include "core/ep_state.h"
#include "core/task_turns.h"

#include <tc/endpoint.h>
#include <tc/ifunc.h>

/* The position is its own: the program may flush the endpoint meanwhile. A refusal may lie
 * behind a message that waits for its code, so it waits for the frames that have come, too; a
 * function that cannot wait for these has flushed all the same. */
tc_status tci_task_calls_flush(tc_ep *ep, uint64_t timeout_ns, tc_error *err)
{
    tci_task_turns turns = tci_task_turns_begin(ep->core, ep, timeout_ns);
    uint64_t target = 0;
    tci_goodbye_urge(ep);
    while (!tci_goodbye_has_run(ep, &target)) {
        tc_status status = tci_task_turns_next(&turns);
        if (status != TC_OK)
            return tci_task_turns_fail(status, TCI_LATE_FLUSH, err);
    }
    const uint64_t end = tci_ep_frames_end(ep);
    while (tci_ep_is_open(ep) && tci_ep_has_frame_before(ep, end)) {
        if (tci_task_turns_next(&turns) != TC_OK)
            return TC_OK; /* the endpoint may be gone */
    }
    return tci_ep_is_open(ep) || (target > 0 && ep->tx.ring.consumed_seen >= target)
               ? TC_OK
               : tc_ep_error(ep, err);
}

tc_status tci_task_calls_send(tc_ep *ep, tc_ifunc *fn, const void *source_args, size_t size,
                              uint64_t timeout_ns, tc_error *err)
{
    tci_task_turns turns = tci_task_turns_begin(ep->core, ep, timeout_ns);
    tc_context *ctx = tc_ep_context(ep);
    tc_status status;
    while ((status = tc_send(ep, fn, source_args, size)) == TC_E_AGAIN) {
        status = tci_task_turns_next(&turns);
        if (status != TC_OK)
            return tci_task_turns_fail(status, TCI_LATE_SEND, err);
    }
    if (status != TC_OK)
        (void)tc_send_error(ctx, err);
    return status;
}
