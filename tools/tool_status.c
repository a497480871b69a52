#include "tool_status.h"

int tool_status_of(tc_status status)
{
    switch (status) {
    case TC_OK:
        return TOOL_OK;
    case TC_E_TIMEOUT:
    case TC_E_UNREACHABLE:
    case TC_E_PEER_LOST:
    case TC_E_CLOSED:
        return TOOL_NO_PEER;
    case TC_E_REFUSED:
    case TC_E_ABSENT:
        return TOOL_REFUSED;
    default:
        return TOOL_FAILED;
    }
}
