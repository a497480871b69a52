#include "dispatch/backlog.h"

#include "base/clock.h"
#include "core/ep_state.h"
#include "core/limits.h"
#include "dispatch/dispatch.h"
#include "transfer/send_queue.h"

#define LOOK_NS (50 * TCI_NS_PER_MS)

unsigned tci_backlog_turn(tc_ep *ep)
{
    if (!ep->rx.paused || ep->rx.held || tci_limits_waits(ep))
        return 0;
    if (tci_send_queue_has_shrunk(ep)) {
        tci_ep_resume(ep);
        return 0;
    }
    const uint64_t now_ns = tci_clock_ns();
    if (now_ns - ep->rx.paused_ns < LOOK_NS)
        return 0;
    ep->rx.paused_ns = now_ns;
    return tci_dispatch_run(ep);
}
