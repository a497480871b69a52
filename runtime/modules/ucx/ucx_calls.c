/* The public functions of the module: contexts on UCX objects of the application, and
 * connecting by the address of a worker. */
#include "base/logger.h"
#include "base/sized_struct.h"
#include "context/connect.h"
#include "context/describe.h"
#include "core/network.h"
#include "endpoint/ep_life.h"
#include "endpoint/handshake.h"

#include <tc/ucx.h>

#define ADDRESS_TRIES 4u

tc_status tc_context_create_on_ucx_for(unsigned header_version, const tc_options *opts,
                                       const tc_ucx_objects *ucx, size_t ucx_size,
                                       tc_context **ctx_out, tc_error *err)
{
    tc_ucx_objects own;
    TC_TRY(tci_describe_check_headers(header_version, err));
    TC_TRY(tci_sized_struct_read(&own, sizeof own, ucx, ucx_size, err));
    return tci_context_create(opts, &own, ctx_out, err);
}

static tc_status try_address(tc_context *ctx, const tci_hello *theirs, uint64_t deadline_ns,
                             tc_ep **ep_out, tc_error *err)
{
    tc_ep *ep;
    TC_TRY(tci_ep_create(&ctx->core, TCI_OWNER_PROGRAM, &ep, err));
    tci_handshake_begin(ep, deadline_ns);
    tc_status status = tci_network_link(ep, theirs, err);
    if (status == TC_OK)
        status = tci_handshake_send_hello(ep, err);
    if (status != TC_OK) {
        tci_ep_free(ep);
        return status;
    }
    bool heard;
    return tci_connect_wait(ctx, ep, 0, ep_out, &heard, err);
}

/* UCX pairs endpoints of two workers in the order of their making. So when an attempt was given
 * up and its peer wakes, the peer's side of the next attempt may be paired with the first one,
 * and end with it. */
tc_status tc_ep_connect_address(tc_context *ctx, const void *address, size_t size,
                                uint64_t timeout_ns, tc_ep **ep_out, tc_error *err)
{
    tci_core *core = &ctx->core;
    tci_hello theirs;
    if (tci_core_is_busy(core))
        return tci_connect_busy(err);
    TC_TRY(tci_hello_decode(address, size, TCI_HELLO_ADDRESS, &theirs, err));
    TC_TRY(tci_hello_compatible(&core->self, &theirs, err));
    if (!tci_hello_same_host(&core->self, &theirs))
        TC_TRY(tci_network_open(core, &core->credentials,
                                "it connects to the address of another host", err));
    uint64_t deadline_ns = tci_connect_deadline(core, timeout_ns);
    tc_status status = TC_E_PEER_LOST;
    for (unsigned i = 0; i < ADDRESS_TRIES && status == TC_E_PEER_LOST; i++)
        status = try_address(ctx, &theirs, deadline_ns, ep_out, err);
    return status;
}

const void *tc_context_address(tc_context *ctx, size_t *size_out)
{
    tc_error error;
    if (!ctx->address_given && tci_credentials_has_keys(&ctx->core.credentials))
        TC_LOG(TC_LOG_WARN, "tc_context_address: peers by address are not authenticated, "
                            "although keys are set");
    ctx->address_given = true;
    if (tci_network_open(&ctx->core, &ctx->core.credentials,
                         "tc_context_address gave its address away", &error) != TC_OK)
        TC_LOG(TC_LOG_ERROR, "tc_context_address: only for this host: %s", error.text);
    *size_out = ctx->core.own_address_size;
    return ctx->core.own_address;
}
