#include "ping_round.h"

#include "base/clock.h"
#include "transfer/frame_out.h"

tc_status ping_round(tc_ep *ep, uint64_t timeout_ns, uint64_t *ns_out, tc_error *err)
{
    const uint64_t begun_ns = tci_clock_ns();
    tci_frame_out_control(ep, TCI_CONTROL_CREDIT, 0, NULL, 0);
    tc_status status = tc_ep_flush(ep, timeout_ns, err);
    *ns_out = tci_clock_ns() - begun_ns;
    return status;
}
