/* Allocates a ring's region by UCX, in a segment, or in private pages, and maps it read-only a
 * second time if that is wanted. */
#include "region.h"

#include "base/error_text.h"
#include "base/logger.h"
#include "base/twin_pages.h"
#include "delivery/pages.h"
#include "delivery/segment.h"
#include "delivery/worker_private.h"

#include <stdlib.h>
#include <string.h>

/* Bytes of UCX's memory that a segment beside it shows: enough for a ring's identity. */
#define WITNESS_BYTES 128u

struct tci_region {
    ucp_context_h ucp_context;
    size_t put_bytes; /* 0: the region is not in its worker's list */
    tci_region *next, **previous_next;
    ucp_mem_h memory; /* NULL: not known to UCX */
    tci_segment segment;
    uint8_t *own; /* NULL: the memory is the segment's, UCX's or twin's */
    size_t own_bytes;
    uint8_t *base;
    uint8_t *view;            /* for reading: base, or one of the mappings below */
    tci_twin_pages twin;      /* instead of own */
    tci_segment view_segment; /* of the segment's memory */
    uint8_t *ucx_view;        /* of UCX's memory, put_bytes long */
    void *rkey;
    size_t rkey_size;
};

static ucs_status_t register_memory(tci_region *region, ucp_mem_map_params_t *params)
{
    ucs_status_t status = ucp_mem_map(region->ucp_context, params, &region->memory);
    if (status != UCS_OK)
        return status;
    return ucp_rkey_pack(region->ucp_context, region->memory, &region->rkey,
                         &region->rkey_size);
}

static ucs_status_t allocate_by_ucx(tci_region *region, size_t bytes)
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
    region->base = attr.address;
    region->put_bytes = bytes;
    memset(region->base, 0, bytes);
    return UCS_OK;
}

static ucs_status_t register_own(tci_region *region, size_t bytes)
{
    ucp_mem_map_params_t params = {
        .field_mask = UCP_MEM_MAP_PARAM_FIELD_ADDRESS | UCP_MEM_MAP_PARAM_FIELD_LENGTH,
        .address = region->base,
        .length = bytes,
    };
    return register_memory(region, &params);
}

/* Registers the region for peers that put, whatever this side's own delivery is. If that fails,
 * they send active messages. */
static void offer_to_ucx(tci_region *region, size_t bytes)
{
    ucs_status_t status = register_own(region, bytes);
    if (status == UCS_OK)
        return;
    TC_LOG(TC_LOG_DEBUG, "ring: UCX offers no puts to it: %s", ucs_status_string(status));
    region->rkey = NULL;
    region->rkey_size = 0;
}

static tc_status keep_closed(tci_region *region, size_t bytes, bool twice, tc_error *err)
{
    if (twice)
        region->base = tci_twin_pages_map(bytes, &region->twin) ? region->twin.bytes : NULL;
    else
        region->base = region->own = tci_pages_map(bytes);
    region->own_bytes = bytes;
    return region->base != NULL ? TC_OK
                                : tci_error_set(err, TC_E_NO_MEMORY, "ring: out of memory");
}

static void let_ucx_free(tci_region *region)
{
    if (region->rkey != NULL)
        ucp_rkey_buffer_release(region->rkey);
    if (region->memory != NULL)
        (void)ucp_mem_unmap(region->ucp_context, region->memory);
    region->rkey = NULL;
    region->memory = NULL;
}

/* Memory that UCX allocates where it shares no memory with other processes cannot be mapped
 * twice. The region is then made of twin pages, which are only registered with UCX; adapters
 * put there as well. */
static tc_status make_put_memory(tci_region *region, size_t bytes, bool twice, tc_error *err)
{
    ucs_status_t status = allocate_by_ucx(region, bytes);
    if (status == UCS_OK && twice)
        region->ucx_view = tci_twin_pages_view(region->base, bytes);
    if (status == UCS_OK && twice && region->ucx_view == NULL) {
        let_ucx_free(region);
        TC_TRY(keep_closed(region, bytes, true, err));
        status = register_own(region, bytes);
    }
    return status == UCS_OK ? TC_OK : tci_ucx_error(err, status, "ring memory");
}

static tc_status make_memory(tci_region *region, const tci_worker *worker, size_t bytes,
                             tci_region_use use, bool twice, tc_error *err)
{
    tc_error shortage;
    if (use == TCI_REGION_PUT && !worker->params.puts)
        return tci_error_set(err, TC_E_UNSUPPORTED,
                             "delivery put: the application's UCX context was made without "
                             "UCP_FEATURE_RMA");
    if (use == TCI_REGION_PUT)
        TC_TRY(make_put_memory(region, bytes, twice, err));
    size_t shared_bytes = use == TCI_REGION_PUT ? WITNESS_BYTES : bytes;
    if (use != TCI_REGION_CLOSED && worker->shares_memory &&
        tci_segment_create(shared_bytes, &region->segment, &shortage) != TC_OK)
        TC_LOG(TC_LOG_WARN, "ring: %s; peers will use active messages", shortage.text);
    if (use == TCI_REGION_PUT)
        return TC_OK;
    region->base = region->segment.base;
    if (region->base == NULL)
        TC_TRY(keep_closed(region, bytes, twice, err));
    if (use == TCI_REGION_MAPPED && worker->params.puts)
        offer_to_ucx(region, bytes);
    return TC_OK;
}

static tc_status map_view(tci_region *region, tc_error *err)
{
    if (region->twin.view != NULL) {
        region->view = region->twin.view;
    } else if (region->base == region->segment.base) {
        TC_TRY(tci_segment_attach_view(region->segment.id, region->segment.bytes,
                                       &region->view_segment, err));
        region->view = region->view_segment.base;
    } else {
        region->view = region->ucx_view;
    }
    return TC_OK;
}

static void enlist(tci_worker *worker, tci_region *region)
{
    region->next = worker->put_regions;
    region->previous_next = &worker->put_regions;
    if (region->next != NULL)
        region->next->previous_next = &region->next;
    worker->put_regions = region;
}

bool tci_region_begins(const tci_worker *worker, uint64_t address, size_t bytes)
{
    const tci_region *region = worker->put_regions;
    while (region != NULL && (uintptr_t)region->base != address)
        region = region->next;
    return region != NULL && bytes <= region->put_bytes;
}

tc_status tci_region_create(tci_worker *worker, size_t bytes, tci_region_use use, bool twice,
                            tci_region **region_out, tc_error *err)
{
    tci_region *region = calloc(1, sizeof *region);
    if (region == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "ring: out of memory");
    region->ucp_context = worker->ucp_context;
    region->segment.id = region->view_segment.id = TCI_SEGMENT_NONE;
    tc_status status = make_memory(region, worker, bytes, use, twice, err);
    region->view = region->base;
    if (status == TC_OK && twice)
        status = map_view(region, err);
    if (status != TC_OK) {
        tci_region_destroy(region);
        return status;
    }
    if (region->put_bytes > 0)
        enlist(worker, region);
    *region_out = region;
    return TC_OK;
}

void tci_region_destroy(tci_region *region)
{
    if (region->previous_next != NULL)
        *region->previous_next = region->next;
    if (region->next != NULL)
        region->next->previous_next = region->previous_next;
    tci_twin_pages_drop_view(region->ucx_view, region->put_bytes);
    let_ucx_free(region);
    tci_segment_detach(&region->segment);
    tci_segment_detach(&region->view_segment);
    tci_pages_unmap(region->own, region->own_bytes);
    tci_twin_pages_unmap(&region->twin);
    free(region);
}

uint8_t *tci_region_base(const tci_region *region)
{
    return region->base;
}

uint8_t *tci_region_view(const tci_region *region)
{
    return region->view;
}

const void *tci_region_rkey(const tci_region *region, size_t *size_out)
{
    *size_out = region->rkey_size;
    return region->rkey;
}

uint32_t tci_region_segment(tci_region *region)
{
    if (region->segment.base != NULL && region->segment.base != region->base)
        memcpy(region->segment.base, region->base, WITNESS_BYTES);
    return region->segment.id;
}
