/* tc_send_injected: a message that brings an image of its function along. */
#include "base/error_text.h"
#include "core/ep_state.h"
#include "modules/injected/inject_section.h"
#include "transfer/frame_out.h"
#include "transfer/send.h"
#include "transfer/send_error.h"

#include <tc/advanced.h>

tc_status tc_send_injected(tc_ep *ep, tc_ifunc *fn, const void *source_args, size_t size)
{
    tci_outgoing out = {
        .fn = fn, .args = source_args, .args_size = size, .kind = TCI_OUT_INJECT};
    tc_error error;
    tc_status status = TC_E_AGAIN;
    if (tci_ep_is_open(ep))
        status = tci_inject_section(ep->peer.target, &out, &error);
    else if (ep->state >= TCI_EP_CLOSED)
        status = tc_ep_error(ep, &error);
    if (status == TC_E_AGAIN || (status == TC_OK && tci_frame_out_try(ep, &out)))
        return status;
    return status == TC_OK ? tci_send_message(ep, &out)
                           : tci_send_error_keep(ep, status, &error);
}
