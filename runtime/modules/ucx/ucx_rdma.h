/* Reports whether an RDMA adapter carries puts: for this machine, and for one endpoint. A test
 * replaces this source by another one that answers as the test needs. */
#ifndef TCI_UCX_RDMA_H
#define TCI_UCX_RDMA_H

#include "modules/ucx/ucx_compat.h"

/* Returns whether the kernel shows an adapter. */
bool tci_ucx_rdma_is_here(void);

/* Returns whether UCX, both the compiled and the loaded version, reports the carrier of an
 * endpoint: 1.14 and newer do. */
bool tci_ucx_rdma_can_be_told(void);

/* Returns whether one of an endpoint's lanes is an adapter's (ucx_lanes.h). False if UCX cannot
 * report it. UCX chooses lanes when it makes the endpoint, before it has connected them. */
bool tci_ucx_rdma_carries(ucp_ep_h ucp_ep);

#endif
