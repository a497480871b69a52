#include "modules/ucx/ucx_compat.h"

#include "base/error_text.h"

tc_status tci_ucx_error(tc_error *err, ucs_status_t status, const char *what)
{
    tc_status mapped;
    switch (status) {
    case UCS_OK:
        return TC_OK;
    case UCS_ERR_NO_MEMORY:
        mapped = TC_E_NO_MEMORY;
        break;
    case UCS_ERR_UNREACHABLE:
        mapped = TC_E_UNREACHABLE;
        break;
    case UCS_ERR_CONNECTION_RESET:
    case UCS_ERR_ENDPOINT_TIMEOUT:
    case UCS_ERR_REJECTED:
    case UCS_ERR_NOT_CONNECTED:
        mapped = TC_E_PEER_LOST;
        break;
    default:
        mapped = TC_E_UCX;
        break;
    }
    return tci_error_set(err, mapped, "%s: %s", what, ucs_status_string(status));
}
