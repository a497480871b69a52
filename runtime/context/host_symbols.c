/* The functions of this library that shipped code may call: a table, so that it works in a
 * statically linked program too, and so that no other part of the process can take over these
 * names. */
#include "context/host_symbols.h"

#include "context/old_opens.h"
#include "context/processor.h"

#include <pthread.h>
#include <string.h>
#include <tc/advanced.h>
#include <tc/entry.h>

/* clang-format off */
#define HOST_SYMBOL(function) {#function, (void *)(uintptr_t)(function)}

static const tci_host_symbol calls[] = {
    HOST_SYMBOL(tc_self_endpoint),
    HOST_SYMBOL(tc_self_identity),
    HOST_SYMBOL(tc_self_ifunc),
    HOST_SYMBOL(tc_self_group),
    HOST_SYMBOL(tc_self_rank),
    HOST_SYMBOL(tc_self_size),
    HOST_SYMBOL(tc_self_origin),
    HOST_SYMBOL(tc_self_hops),
    HOST_SYMBOL(tc_self_data),
    HOST_SYMBOL(tc_self_state),
    HOST_SYMBOL(tc_forward),
    HOST_SYMBOL(tc_forward_function),
    HOST_SYMBOL(tc_reply),
    HOST_SYMBOL(tc_reply_error),
    HOST_SYMBOL(tc_reply_to),
    HOST_SYMBOL(tc_reply_error_to),
    HOST_SYMBOL(tc_detach),
    HOST_SYMBOL(tc_self_fail),
    HOST_SYMBOL(tc_self_guard),
    HOST_SYMBOL(tc_self_abandon),
    HOST_SYMBOL(tc_call_start_sized),
    HOST_SYMBOL(tc_call_cancel),
    HOST_SYMBOL(tc_call_count),
    HOST_SYMBOL(tc_group_rank),
    HOST_SYMBOL(tc_group_size),
    HOST_SYMBOL(tc_group_id),
    HOST_SYMBOL(tc_group_context),
    HOST_SYMBOL(tc_group_ep),
    HOST_SYMBOL(tc_group_send),
    HOST_SYMBOL(tc_group_failures),
    HOST_SYMBOL(tc_send),
    HOST_SYMBOL(tc_send_uncached),
    HOST_SYMBOL(tc_send_injected),
    HOST_SYMBOL(tc_send_error),
    HOST_SYMBOL(tc_ep_context),
    HOST_SYMBOL(tc_ep_user),
    HOST_SYMBOL(tc_ep_set_user),
    HOST_SYMBOL(tc_ep_error),
    HOST_SYMBOL(tc_ep_query_sized),
    HOST_SYMBOL(tc_ep_refusal),
    HOST_SYMBOL(tc_ep_close),
    HOST_SYMBOL(tc_ifunc_name),
    HOST_SYMBOL(tc_ifunc_id),
    HOST_SYMBOL(tc_ifunc_signer),
    HOST_SYMBOL(tc_ifunc_code_size),
    HOST_SYMBOL(tc_ifunc_archive),
    HOST_SYMBOL(tc_ifunc_deps),
    HOST_SYMBOL(tc_ifunc_open),
    HOST_SYMBOL(tc_ifunc_open_code_sized),
    HOST_SYMBOL(tc_ifunc_open_file),
    HOST_SYMBOL(tc_ifunc_open_memory),
    HOST_SYMBOL(tc_ifunc_open_signed),
    HOST_SYMBOL(tc_ifunc_open_bitcode_sized),
    HOST_SYMBOL(tc_ifunc_close),
    HOST_SYMBOL(tc_library_older),
    HOST_SYMBOL(tc_library_symbol),
    HOST_SYMBOL(tc_library_list_sized),
    HOST_SYMBOL(tc_status_text),
    HOST_SYMBOL(tc_status_name),
    HOST_SYMBOL(tc_message_create),
    HOST_SYMBOL(tc_message_payload),
    HOST_SYMBOL(tc_message_send),
    HOST_SYMBOL(tc_message_destroy),
    /* Calls that wait: inside a function they return TC_E_BUSY, alike in any process. */
    HOST_SYMBOL(tc_call),
    HOST_SYMBOL(tc_library_push),
    HOST_SYMBOL(tc_library_withdraw),
    HOST_SYMBOL(tc_send_wait),
    HOST_SYMBOL(tc_progress),
    HOST_SYMBOL(tc_ep_connect),
    HOST_SYMBOL(tc_ep_flush),
    HOST_SYMBOL(tc_ep_prepare),
    HOST_SYMBOL(tc_group_barrier),
};
/* clang-format on */

enum { CALLS = sizeof calls / sizeof calls[0] };

static tci_host_symbol all[CALLS + TCI_PROCESSOR_NAMES];

static void fill(void)
{
    memcpy(all, calls, sizeof calls);
    tci_processor_names(all + CALLS);
}

const tci_host_symbol *tci_host_symbols_all(size_t *count_out)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, fill);
    *count_out = CALLS + TCI_PROCESSOR_NAMES;
    return all;
}
