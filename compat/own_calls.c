#include "own_calls.h"

#include <tc/compat/ucp/api/ucp.h>

#define OWN_CALL(function)                                                                     \
    {                                                                                          \
#function, (void *)(uintptr_t)(function)                                               \
    }

static const tc_symbol own_calls[] = {
    OWN_CALL(ucp_register_ifunc),
    OWN_CALL(ucp_register_ifunc_im),
    OWN_CALL(ucp_deregister_ifunc),
    OWN_CALL(ucp_ifunc_msg_create),
    OWN_CALL(ucp_ifunc_msg_get_payload_ptr),
    OWN_CALL(ucp_ifunc_msg_free),
    OWN_CALL(ucp_ifunc_send_nbix),
    OWN_CALL(ucp_poll_ifunc),
};

const tc_symbol *tci_own_calls(size_t *count_out)
{
    *count_out = sizeof own_calls / sizeof own_calls[0];
    return own_calls;
}
