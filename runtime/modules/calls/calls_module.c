/* The module calls, and its functions that shipped code may call. */
#include "base/error_text.h"
#include "core/module.h"
#include "modules/calls/calling.h"

#include <stdlib.h>
#include <tc/entry.h>

static const tci_host_symbol symbols[] = {
    TCI_HOST_SYMBOL(tc_self_rank),      TCI_HOST_SYMBOL(tc_self_size),
    TCI_HOST_SYMBOL(tc_forward),        TCI_HOST_SYMBOL(tc_forward_function),
    TCI_HOST_SYMBOL(tc_reply),          TCI_HOST_SYMBOL(tc_reply_error),
    TCI_HOST_SYMBOL(tc_reply_begin),    TCI_HOST_SYMBOL(tc_reply_commit),
    TCI_HOST_SYMBOL(tc_reply_to),       TCI_HOST_SYMBOL(tc_reply_error_to),
    TCI_HOST_SYMBOL(tc_detach),         TCI_HOST_SYMBOL(tc_call_start_sized),
    TCI_HOST_SYMBOL(tc_call_cancel),    TCI_HOST_SYMBOL(tc_call_count),
    TCI_HOST_SYMBOL(tc_group_rank),     TCI_HOST_SYMBOL(tc_group_size),
    TCI_HOST_SYMBOL(tc_group_id),       TCI_HOST_SYMBOL(tc_group_context),
    TCI_HOST_SYMBOL(tc_group_ep),       TCI_HOST_SYMBOL(tc_group_send),
    TCI_HOST_SYMBOL(tc_group_failures), TCI_HOST_SYMBOL(tc_call),
    TCI_HOST_SYMBOL(tc_group_barrier),  TCI_HOST_SYMBOL(tc_calls_wait),
    TCI_HOST_SYMBOL(tc_group_program),
};

static tc_status attach(tci_core *core, tc_error *err)
{
    tci_calling *calling = calloc(1, sizeof *calling);
    if (calling == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "calls: out of memory");
    tci_calling_init(calling);
    tc_status status =
        tci_module_take((const void **)&core->calls, &calling->calls.head, "calls", err);
    if (status != TC_OK) {
        tci_calling_fini(calling);
        free(calling);
    }
    return status;
}

static void detach(tci_core *core)
{
    if (core->calls == NULL || core->calls->ops->end_all != tci_calls_end)
        return;
    tci_calling *calling = tci_calling_of(core);
    tci_calling_fini(calling);
    core->calls = NULL;
    free(calling);
}

const tci_module tci_calls_module = {.name = "calls",
                                     .attach = attach,
                                     .detach = detach,
                                     .turn = tci_local_replies_take,
                                     .service = tci_calls_expire,
                                     .symbols = symbols,
                                     .symbol_count = sizeof symbols / sizeof symbols[0]};
