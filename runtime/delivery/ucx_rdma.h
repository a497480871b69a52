/* Whether an RDMA adapter carries puts: of this machine, and of one endpoint. A test has another
 * source in place of this one, which says what it wants. */
#ifndef TCI_UCX_RDMA_H
#define TCI_UCX_RDMA_H

#include "delivery/ucx_compat.h"

/* Whether the kernel shows an adapter. */
bool tci_ucx_rdma_is_here(void);

/* Whether UCX, both the one that this was compiled for and the one that is loaded, tells what
 * carries an endpoint: 1.14 and newer do. */
bool tci_ucx_rdma_can_be_told(void);

/* Whether one of an endpoint's lanes is an adapter's (ucx_lanes.h). False where that cannot be
 * told. UCX chooses lanes when it makes the endpoint, before it has connected them. */
bool tci_ucx_rdma_carries(ucp_ep_h ucp_ep);

#endif
