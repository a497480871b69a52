/* What shipped code may call of the library that runs it: a table, so that it works in a
 * statically linked program too, and so that nothing else of the process can take these names
 * over. */
#include "context_private.h"

#include <tc/entry.h>
#include <tc/ifunc.h>
#include <tc/log.h>

#define HOST_SYMBOL(function)                                                                  \
    {                                                                                          \
#function, (void *)(uintptr_t)(function)                                               \
    }

static const tci_host_symbol host_symbols[] = {
    HOST_SYMBOL(tc_self_endpoint),
    HOST_SYMBOL(tc_self_ifunc),
    HOST_SYMBOL(tc_send),
    HOST_SYMBOL(tc_send_uncached),
    HOST_SYMBOL(tc_ep_context),
    HOST_SYMBOL(tc_ep_user),
    HOST_SYMBOL(tc_ep_set_user),
    HOST_SYMBOL(tc_ep_error),
    HOST_SYMBOL(tc_ep_query),
    HOST_SYMBOL(tc_ep_refusal),
    HOST_SYMBOL(tc_ep_close),
    HOST_SYMBOL(tc_ifunc_name),
    HOST_SYMBOL(tc_ifunc_id),
    HOST_SYMBOL(tc_ifunc_open),
    HOST_SYMBOL(tc_ifunc_close),
    HOST_SYMBOL(tc_status_text),
    HOST_SYMBOL(tc_status_name),
    HOST_SYMBOL(tc_message_create),
    HOST_SYMBOL(tc_message_payload),
    HOST_SYMBOL(tc_message_send),
    HOST_SYMBOL(tc_message_destroy),
};

const tci_host_symbol *tci_host_symbols(size_t *count_out)
{
    *count_out = sizeof host_symbols / sizeof host_symbols[0];
    return host_symbols;
}

tc_ep *tc_self_endpoint(void)
{
    return tci_current_get()->ep;
}

tc_ifunc *tc_self_ifunc(void)
{
    return tci_current_get()->ep != NULL ? tci_current_get()->fn : NULL;
}
