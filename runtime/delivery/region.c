#include "region.h"

#include "base/error_text.h"
#include "delivery/ucx_error.h"
#include "delivery/worker_private.h"

#include <stdlib.h>
#include <string.h>

struct tci_region {
    ucp_context_h ucp_context;
    ucp_mem_h memory;
    uint8_t *base;
    void *rkey;
    size_t rkey_size;
};

static ucs_status_t map_memory(tci_region *region, size_t bytes)
{
    const ucp_mem_map_params_t params = {
        .field_mask = UCP_MEM_MAP_PARAM_FIELD_LENGTH | UCP_MEM_MAP_PARAM_FIELD_FLAGS,
        .length = bytes,
        .flags = UCP_MEM_MAP_ALLOCATE,
    };
    ucs_status_t status = ucp_mem_map(region->ucp_context, &params, &region->memory);
    if (status != UCS_OK)
        return status;
    ucp_mem_attr_t attr = {.field_mask = UCP_MEM_ATTR_FIELD_ADDRESS};
    status = ucp_mem_query(region->memory, &attr);
    if (status != UCS_OK)
        return status;
    region->base = attr.address;
    memset(region->base, 0, bytes);
    return ucp_rkey_pack(region->ucp_context, region->memory, &region->rkey,
                         &region->rkey_size);
}

tc_status tci_region_create(tci_worker *worker, size_t bytes, tci_region **region_out,
                            tc_error *err)
{
    tci_region *region = calloc(1, sizeof *region);
    if (region == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "ring: out of memory");
    region->ucp_context = worker->ucp_context;
    ucs_status_t status = map_memory(region, bytes);
    if (status != UCS_OK) {
        tci_region_destroy(region);
        return tci_ucx_error(err, status, "ring memory");
    }
    *region_out = region;
    return TC_OK;
}

void tci_region_destroy(tci_region *region)
{
    if (region->rkey != NULL)
        ucp_rkey_buffer_release(region->rkey);
    if (region->memory != NULL)
        (void)ucp_mem_unmap(region->ucp_context, region->memory);
    free(region);
}

uint8_t *tci_region_base(const tci_region *region)
{
    return region->base;
}

const void *tci_region_rkey(const tci_region *region, size_t *size_out)
{
    *size_out = region->rkey_size;
    return region->rkey;
}
