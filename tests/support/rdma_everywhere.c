/* In place of runtime/delivery/ucx_rdma.c: every endpoint's puts are an adapter's, so that
 * `auto` takes put, and put is refused nowhere. What UCX then does over tcp takes an adapter's
 * place. */
#include "delivery/ucx_rdma.h"

bool tci_ucx_rdma_is_here(void)
{
    return true;
}

bool tci_ucx_rdma_can_be_told(void)
{
    return true;
}

bool tci_ucx_rdma_carries(ucp_ep_h ucp_ep)
{
    (void)ucp_ep;
    return true;
}
