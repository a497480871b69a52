#include "transfer/send_error.h"

#include "base/error_text.h"

#include <tc/endpoint.h>

#include <stdlib.h>

static const char *reason_of(tc_status status)
{
    if (status == TC_E_PAYLOAD)
        return "NAME_payload_init returned another value than 0";
    if (status == TC_E_BUSY)
        return "another message is partly sent, or NAME_payload_init is running";
    return tc_status_text(status);
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

void tci_send_error_store(tci_core *core, const tc_error *error)
{
    core->send_status = error->status;
    if (core->send_error != NULL || (core->send_error = malloc(sizeof *error)) != NULL)
        *core->send_error = *error;
}

tc_status tci_send_error_read(const tci_core *core, tc_error *err)
{
    const tc_status status = core->send_status;
    if (status != TC_OK && core->send_error == NULL)
        return tci_error_set(err, status, "%s", tc_status_text(status));
    if (status != TC_OK && err != NULL)
        *err = *core->send_error;
    return status;
}

tc_status tci_send_error_keep(const tc_ep *ep, tc_status status, tc_error *error)
{
    if (error->status != status)
        (void)tci_send_error_explain(ep, status, error);
    tci_send_error_store(ep->core, error);
    return status;
}
