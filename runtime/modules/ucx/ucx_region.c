/* Allocates a ring's memory by UCX, or registers memory of a region with UCX. */
#include "modules/ucx/ucx_region.h"

#include "base/error_text.h"
#include "base/logger.h"
#include "delivery/region_object.h"
#include "modules/ucx/worker_private.h"

#include <stdlib.h>
#include <string.h>

typedef struct tci_ucx_region {
    tci_region base;
    ucp_context_h ucp_context;
    ucp_mem_h memory; /* NULL: not known to UCX */
    void *rkey;       /* UCX's, to be released */
    size_t put_bytes; /* 0: the region is not in its worker's list */
    struct tci_ucx_region *next, **previous_next; /* bound: CONNECTIONS_MAX */
    uint8_t *view;                                /* of memory of UCX's own, put_bytes long */
} tci_ucx_region;

static ucs_status_t register_memory(tci_ucx_region *region, ucp_mem_map_params_t *params)
{
    ucs_status_t status = ucp_mem_map(region->ucp_context, params, &region->memory);
    if (status == UCS_OK)
        status = ucp_rkey_pack(region->ucp_context, region->memory, &region->rkey,
                               &region->base.rkey_size);
    if (status == UCS_OK)
        region->base.rkey = region->rkey;
    return status;
}

static ucs_status_t allocate_by_ucx(tci_ucx_region *region, size_t bytes)
{
    ucp_mem_map_params_t params = {
        .field_mask = UCP_MEM_MAP_PARAM_FIELD_LENGTH | UCP_MEM_MAP_PARAM_FIELD_FLAGS,
        .length = bytes,
        .flags = UCP_MEM_MAP_ALLOCATE,
    };
    ucs_status_t status = register_memory(region, &params);
    if (status != UCS_OK)
        return status;
    ucp_mem_attr_t attr = {.field_mask = UCP_MEM_ATTR_FIELD_ADDRESS};
    status = ucp_mem_query(region->memory, &attr);
    if (status != UCS_OK)
        return status;
    region->base.base = region->base.view = attr.address;
    memset(attr.address, 0, bytes);
    return UCS_OK;
}

static ucs_status_t register_own(tci_ucx_region *region, size_t bytes)
{
    ucp_mem_map_params_t params = {
        .field_mask = UCP_MEM_MAP_PARAM_FIELD_ADDRESS | UCP_MEM_MAP_PARAM_FIELD_LENGTH,
        .address = region->base.base,
        .length = bytes,
    };
    return register_memory(region, &params);
}

static void let_ucx_free(tci_ucx_region *region)
{
    if (region->rkey != NULL)
        ucp_rkey_buffer_release(region->rkey);
    if (region->memory != NULL)
        (void)ucp_mem_unmap(region->ucp_context, region->memory);
    region->base.rkey = region->rkey = NULL;
    region->base.rkey_size = 0;
    region->memory = NULL;
}

/* Registers the region for peers that put, whatever this side's own delivery is. If that fails,
 * they send active messages. */
static void offer_to_ucx(tci_ucx_region *region, size_t bytes)
{
    ucs_status_t status = register_own(region, bytes);
    if (status == UCS_OK)
        return;
    TC_LOG(TC_LOG_DEBUG, "ring: UCX offers no puts to it: %s", ucs_status_string(status));
    region->base.rkey = NULL;
    region->base.rkey_size = 0;
}

/* Memory that UCX allocates where it shares no memory with other processes cannot be mapped
 * twice. The region is then made of twin pages, which are only registered with UCX; adapters
 * put there as well. */
static tc_status map_twice(tci_ucx_region *region, size_t bytes, tc_error *err)
{
    region->view = tci_twin_pages_view(region->base.base, bytes);
    if (region->view != NULL) {
        region->base.view = region->view;
        return TC_OK;
    }
    let_ucx_free(region);
    region->base.base = NULL;
    TC_TRY(tci_region_fill_closed(&region->base, bytes, true, err));
    return tci_ucx_error(err, register_own(region, bytes), "ring memory");
}

static void enlist(tci_worker *worker, tci_ucx_region *region)
{
    region->next = worker->put_regions;
    region->previous_next = &worker->put_regions;
    if (region->next != NULL)
        region->next->previous_next = &region->next;
    worker->put_regions = region;
}

static tc_status make_put_memory(tci_ucx_region *region, tci_worker *worker, size_t bytes,
                                 bool twice, tc_error *err)
{
    if (!worker->params.puts)
        return tci_error_set(err, TC_E_UNSUPPORTED,
                             "delivery put: the application's UCX context was made without "
                             "UCP_FEATURE_RMA");
    TC_TRY(tci_ucx_error(err, allocate_by_ucx(region, bytes), "ring memory"));
    region->put_bytes = bytes;
    if (twice)
        TC_TRY(map_twice(region, bytes, err));
    if (worker->shares_memory)
        tci_region_add_segment(&region->base, TCI_REGION_WITNESS_BYTES);
    enlist(worker, region);
    return TC_OK;
}

static tc_status make_memory(tci_ucx_region *region, tci_worker *worker, size_t bytes,
                             tci_region_use use, bool twice, tc_error *err)
{
    if (use == TCI_REGION_PUT)
        return make_put_memory(region, worker, bytes, twice, err);
    TC_TRY(tci_region_fill(&region->base, bytes, use, worker->shares_memory, twice, err));
    if (use == TCI_REGION_MAPPED && worker->params.puts)
        offer_to_ucx(region, bytes);
    return TC_OK;
}

static void unregister(tci_region *base)
{
    tci_ucx_region *region = (tci_ucx_region *)(void *)base; /* its first member */
    if (region->previous_next != NULL)
        *region->previous_next = region->next;
    if (region->next != NULL)
        region->next->previous_next = region->previous_next;
    tci_twin_pages_drop_view(region->view, region->put_bytes);
    let_ucx_free(region);
}

tc_status tci_ucx_region_create(tci_worker *worker, size_t bytes, tci_region_use use,
                                bool twice, tci_region **region_out, tc_error *err)
{
    tci_ucx_region *region = calloc(1, sizeof *region);
    if (region == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "ring: out of memory");
    tci_region_init(&region->base);
    region->base.unregister = unregister;
    region->ucp_context = worker->ucp_context;
    tc_status status = make_memory(region, worker, bytes, use, twice, err);
    if (status != TC_OK) {
        tci_region_destroy(&region->base);
        return status;
    }
    *region_out = &region->base;
    return TC_OK;
}

bool tci_ucx_region_begins(const tci_worker *worker, uint64_t address, size_t bytes)
{
    const tci_ucx_region *region = worker->put_regions;
    while (region != NULL && (uintptr_t)region->base.base != address)
        region = region->next;
    return region != NULL && bytes <= region->put_bytes;
}
