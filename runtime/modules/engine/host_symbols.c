/* The functions of this library that shipped code may call: a table, so that it works in a
 * statically linked program too, and so that no other part of the process can take over these
 * names. A module adds the functions that it has. */
#include "modules/engine/host_symbols.h"

#include "base/assertion.h"
#include "context/modules.h"
#include "context/old_opens.h"
#include "core/module.h"
#include "modules/engine/processor.h"

#include <pthread.h>
#include <string.h>
#include <tc/advanced.h>
#include <tc/entry.h>
#include <tc/loader.h>

/* clang-format off */
static const tci_host_symbol calls[] = {
    TCI_HOST_SYMBOL(tc_self_endpoint),
    TCI_HOST_SYMBOL(tc_self_identity),
    TCI_HOST_SYMBOL(tc_self_ifunc),
    TCI_HOST_SYMBOL(tc_self_group),
    TCI_HOST_SYMBOL(tc_self_origin),
    TCI_HOST_SYMBOL(tc_self_hops),
    TCI_HOST_SYMBOL(tc_self_data),
    TCI_HOST_SYMBOL(tc_self_state),
    TCI_HOST_SYMBOL(tc_self_fail),
    TCI_HOST_SYMBOL(tc_self_guard),
    TCI_HOST_SYMBOL(tc_self_abandon),
    TCI_HOST_SYMBOL(tc_send),
    TCI_HOST_SYMBOL(tc_send_uncached),
    TCI_HOST_SYMBOL(tc_send_injected),
    TCI_HOST_SYMBOL(tc_send_error),
    TCI_HOST_SYMBOL(tc_ep_context),
    TCI_HOST_SYMBOL(tc_ep_user),
    TCI_HOST_SYMBOL(tc_ep_set_user),
    TCI_HOST_SYMBOL(tc_ep_error),
    TCI_HOST_SYMBOL(tc_ep_query_sized),
    TCI_HOST_SYMBOL(tc_ep_refusal),
    TCI_HOST_SYMBOL(tc_ep_close),
    TCI_HOST_SYMBOL(tc_ifunc_name),
    TCI_HOST_SYMBOL(tc_ifunc_id),
    TCI_HOST_SYMBOL(tc_ifunc_signer),
    TCI_HOST_SYMBOL(tc_ifunc_code_size),
    TCI_HOST_SYMBOL(tc_ifunc_archive),
    TCI_HOST_SYMBOL(tc_ifunc_deps),
    TCI_HOST_SYMBOL(tc_ifunc_open),
    TCI_HOST_SYMBOL(tc_ifunc_open_code_sized),
    TCI_HOST_SYMBOL(tc_ifunc_open_file),
    TCI_HOST_SYMBOL(tc_ifunc_open_memory),
    TCI_HOST_SYMBOL(tc_ifunc_open_signed),
    TCI_HOST_SYMBOL(tc_ifunc_open_bitcode_sized),
    TCI_HOST_SYMBOL(tc_ifunc_close),
    TCI_HOST_SYMBOL(tc_stats_count),
    TCI_HOST_SYMBOL(tc_stats_value),
    TCI_HOST_SYMBOL(tc_status_text),
    TCI_HOST_SYMBOL(tc_status_name),
    TCI_HOST_SYMBOL(tc_message_create),
    TCI_HOST_SYMBOL(tc_message_payload),
    TCI_HOST_SYMBOL(tc_message_send),
    TCI_HOST_SYMBOL(tc_message_destroy),
    /* Calls that wait: some in functions that may, others return TC_E_BUSY in any process. */
    TCI_HOST_SYMBOL(tc_send_wait),
    TCI_HOST_SYMBOL(tc_progress),
    TCI_HOST_SYMBOL(tc_ep_connect),
    TCI_HOST_SYMBOL(tc_ep_flush),
    TCI_HOST_SYMBOL(tc_ep_prepare),
};
/* clang-format on */

enum { CALLS = sizeof calls / sizeof calls[0], OF_MODULES_MAX = 64 };

static tci_host_symbol all[CALLS + TCI_PROCESSOR_NAMES + OF_MODULES_MAX];
static size_t all_count;

static void fill(void)
{
    memcpy(all, calls, sizeof calls);
    tci_processor_names(all + CALLS);
    all_count = CALLS + TCI_PROCESSOR_NAMES;
    all_count += tci_modules_symbols(all + all_count, OF_MODULES_MAX);
    TCI_INVARIANT_IS(module_symbols, all_count, <=, sizeof all / sizeof all[0]);
}

const tci_host_symbol *tci_host_symbols_all(size_t *count_out)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, fill);
    *count_out = all_count;
    return all;
}
