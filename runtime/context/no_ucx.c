/* The public functions of the module ucx in a build without it: they report that it is
 * absent. */
#include "context/absent.h"

#include <tc/abi.h>
#include <tc/advanced.h>

TCI_ABSENT("ucx", tc_context_create_on_ucx_for, unsigned header_version, const tc_options *opts,
           const struct tc_ucx_objects *ucx, size_t ucx_size, tc_context **ctx_out)
TCI_ABSENT("ucx", tc_ep_connect_address, tc_context *ctx, const void *address, size_t size,
           uint64_t timeout_ns, tc_ep **ep_out)

const void *tc_context_address(tc_context *ctx, size_t *size_out)
{
    *size_out = 0;
    return ctx;
}
