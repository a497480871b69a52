#include "modules/ucx/ucx_rdma.h"

#include "modules/ucx/ucx_lanes.h"

#include <dirent.h>

bool tci_ucx_rdma_is_here(void)
{
    DIR *adapters = opendir("/sys/class/infiniband");
    const struct dirent *entry = NULL;
    while (adapters != NULL && (entry = readdir(adapters)) != NULL && entry->d_name[0] == '.')
        ;
    if (adapters != NULL)
        (void)closedir(adapters);
    return entry != NULL;
}

#if UCP_API_VERSION >= UCP_VERSION(1, 14)

#define LANES_MAX 64u /* UCX has up to 16 in 1.18 */

bool tci_ucx_rdma_can_be_told(void)
{
    return tci_ucx_is_from(14);
}

bool tci_ucx_rdma_carries(ucp_ep_h ucp_ep)
{
    ucp_transport_entry_t entries[LANES_MAX] = {{0}};
    const char *names[LANES_MAX];
    ucp_ep_attr_t attr = {.field_mask = UCP_EP_ATTR_FIELD_TRANSPORTS,
                          .transports = {.entries = entries,
                                         .num_entries = LANES_MAX,
                                         .entry_size = sizeof *entries}};
    if (!tci_ucx_rdma_can_be_told() || ucp_ep_query(ucp_ep, &attr) != UCS_OK)
        return false;
    for (unsigned i = 0; i < attr.transports.num_entries; i++)
        names[i] = entries[i].transport_name;
    return tci_ucx_lanes_write(names, attr.transports.num_entries);
}

#else

bool tci_ucx_rdma_can_be_told(void)
{
    return false;
}

bool tci_ucx_rdma_carries(ucp_ep_h ucp_ep)
{
    (void)ucp_ep;
    return false;
}

#endif
