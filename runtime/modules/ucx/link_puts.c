#include "modules/ucx/link_puts.h"

#include "base/error_text.h"
#include "modules/ucx/link_ucx_object.h"
#include "modules/ucx/ucx_endpoint.h"
#include "modules/ucx/ucx_rdma.h"

#include <stdlib.h>

tci_link_ends tci_link_ends_of(const tci_link *link)
{
    return tci_link_ucx_of_const(link)->ends;
}

tc_status tci_link_prepare_puts(tci_link *base, const void *rkey, size_t size, tc_error *err)
{
    tci_link_ucx *link = tci_link_ucx_of(base);
    uint8_t *padded;
    if (!link->worker->params.puts)
        return tci_error_set(err, TC_E_UNSUPPORTED,
                             "put: the application's UCX context was made without "
                             "UCP_FEATURE_RMA");
    if ((padded = tci_ucx_endpoint_copy(rkey, size)) == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "put: out of memory");
    ucs_status_t status = ucp_ep_rkey_unpack(link->ucp_ep, padded, &link->rkey);
    free(padded);
    if (status == UCS_OK)
        return TC_OK;
    return tci_error_set(err, TC_E_UNSUPPORTED, "put: UCX cannot use the peer's rkey: %s",
                         ucs_status_string(status));
}

void *tci_link_mapped_here(const tci_link *link, uint64_t address)
{
    void *here = NULL;
    ucs_status_t status = ucp_rkey_ptr(tci_link_ucx_of_const(link)->rkey, address, &here);
    return status == UCS_OK ? here : NULL;
}

bool tci_link_puts_by_rdma(const tci_link *link)
{
    return tci_ucx_rdma_carries(tci_link_ucx_of_const(link)->ucp_ep);
}

/* Records the failure: UCX reports an operation that it refuses to start only here, and its
 * data is lost. */
static tc_status refused(tci_link_ucx *link, ucs_status_t status, const char *what)
{
    if (link->failure == UCS_OK)
        link->failure = status;
    return tci_ucx_error(NULL, status, what);
}

tc_status tci_link_put(tci_link *base, uint64_t address, tci_link_op *op, const void *bytes,
                       size_t size, bool *under_way_out)
{
    tci_link_ucx *link = tci_link_ucx_of(base);
    const ucp_request_param_t param = {
        .op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA,
        .cb = {.send = tci_link_finish_send},
        .user_data = op,
    };
    ucs_status_ptr_t request =
        ucp_put_nbx(link->ucp_ep, bytes, size, address, link->rkey, &param);
    *under_way_out = UCS_PTR_IS_PTR(request);
    return UCS_PTR_IS_ERR(request) ? refused(link, UCS_PTR_STATUS(request), "put") : TC_OK;
}

tc_status tci_link_fence(tci_link *base)
{
    tci_link_ucx *link = tci_link_ucx_of(base);
    ucs_status_t status = ucp_worker_fence(link->worker->ucp_worker);
    return status == UCS_OK ? TC_OK : refused(link, status, "fence");
}

static void finish_flush(void *request, ucs_status_t status, void *user)
{
    tci_link_op *op = user;
    tci_link_ucx *link = tci_link_ucx_of(op->link);
    if (link->failure == UCS_OK)
        link->failure = status;
    op->failed = link->failure != UCS_OK;
    op->done(op);
    ucp_request_free(request);
}

tc_status tci_link_flush_puts(tci_link *base, tci_link_op *op, bool *under_way_out)
{
    tci_link_ucx *link = tci_link_ucx_of(base);
    const ucp_request_param_t param = {
        .op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA,
        .cb = {.send = finish_flush},
        .user_data = op,
    };
    op->link = base;
    ucs_status_ptr_t request = ucp_ep_flush_nbx(link->ucp_ep, &param);
    *under_way_out = UCS_PTR_IS_PTR(request);
    return UCS_PTR_IS_ERR(request) ? refused(link, UCS_PTR_STATUS(request), "flush") : TC_OK;
}
