#include "transfer/send_error.h"

#include "base/error_text.h"

#include <tc/endpoint.h>

static const char *reason_of(tc_status status)
{
    switch (status) {
    case TC_E_PAYLOAD:
        return "NAME_payload_init returned another value than 0";
    case TC_E_BUSY:
        return "another message is partly sent, or NAME_payload_init is running";
    default:
        return tc_status_text(status);
    }
}

tc_status tci_send_error_explain(const tc_ep *ep, tc_status status, tc_error *err)
{
    if (err == NULL)
        return status;
    if (status == TC_E_TOO_LARGE)
        tci_error_fill(
            err, status,
            "the payload is above the %zu bytes that this peer takes, or what is sent "
            "along with it above the peer's limit",
            (size_t)ep->core->options.payload_bytes_max);
    else if (status == TC_E_REFUSED && ep->tx.refusal != NULL)
        (void)tc_ep_refusal(ep, err);
    else if (tc_ep_error(ep, err) != status)
        tci_error_fill(err, status, "%s", reason_of(status));
    err->status = status;
    return status;
}

tc_status tci_send_error_keep(const tc_ep *ep, tc_status status, const tc_error *error)
{
    tc_error *kept = &ep->core->send_error;
    if (error->status != status)
        return tci_send_error_explain(ep, status, kept);
    *kept = *error;
    return status;
}
