/* The public functions of the module serving in a build without it: they report that it is
 * absent. No thread serves a context, and no lock is held. */
#include "context/absent.h"

#include <tc/abi.h>
#include <tc/advanced.h>
#include <tc/thread.h>

TCI_ABSENT("serving", tc_context_start_thread_sized, tc_context *ctx,
           const tc_thread_params *params, size_t params_size)
TCI_ABSENT("serving", tc_context_lock, tc_context *ctx, uint64_t timeout_ns)
TCI_ABSENT_VALUE(TC_OK, tc_status, tc_context_stop_thread, tc_context *ctx, tc_error *err)
void tc_context_unlock(tc_context *ctx)
{
}

/* Their names would take more than these words. */
tc_status tc_context_drain(tc_context *ctx, uint64_t timeout_ns, uint64_t *lost_out,
                           tc_error *err)
{
    return tci_module_absent("draining", "serving", err);
}

tc_status tc_listener_open_socket(tc_context *ctx, int socket, tc_listener **listener_out,
                                  tc_error *err)
{
    return tci_module_absent("a socket", "serving", err);
}
