/* Allocates a ring's region in a segment or in private pages, and maps it read-only a second
 * time if that is wanted. */
#include "region.h"

#include "base/assertion.h"
#include "base/error_text.h"
#include "base/logger.h"
#include "delivery/pages.h"
#include "delivery/region_object.h"

#include <stdlib.h>
#include <string.h>

void tci_region_init(tci_region *region)
{
    region->segment.id = region->view_segment.id = TCI_SEGMENT_NONE;
}

void tci_region_add_segment(tci_region *region, size_t bytes)
{
    tc_error shortage;
    if (tci_segment_create(bytes, &region->segment, &shortage) != TC_OK)
        TC_LOG(TC_LOG_WARN, "ring: %s; peers will use active messages", shortage.text);
}

tc_status tci_region_fill_closed(tci_region *region, size_t bytes, bool twice, tc_error *err)
{
    if (twice && tci_twin_pages_map(bytes, &region->twin)) {
        region->base = region->twin.bytes;
        region->view = region->twin.view;
    } else if (!twice) {
        region->base = region->view = region->own = tci_pages_map(bytes);
        region->own_bytes = bytes;
    }
    return region->base != NULL ? TC_OK
                                : tci_error_set(err, TC_E_NO_MEMORY, "ring: out of memory");
}

tc_status tci_region_fill(tci_region *region, size_t bytes, tci_region_use use, bool shared,
                          bool twice, tc_error *err)
{
    TCI_INVARIANT(region_use, use != TCI_REGION_PUT && region->base == NULL);
    if (use == TCI_REGION_MAPPED && shared)
        tci_region_add_segment(region, bytes);
    if (region->segment.base == NULL)
        return tci_region_fill_closed(region, bytes, twice, err);
    TCI_INVARIANT(region_use, use == TCI_REGION_MAPPED && region->own == NULL);
    region->base = region->view = region->segment.base;
    if (!twice)
        return TC_OK;
    TC_TRY(tci_segment_attach_view(region->segment.id, region->segment.bytes,
                                   &region->view_segment, err));
    region->view = region->view_segment.base;
    return TC_OK;
}

tc_status tci_region_create(size_t bytes, tci_region_use use, bool twice,
                            tci_region **region_out, tc_error *err)
{
    tci_region *region = calloc(1, sizeof *region);
    if (region == NULL)
        return tci_error_set(err, TC_E_NO_MEMORY, "ring: out of memory");
    tci_region_init(region);
    tc_status status = tci_region_fill(region, bytes, use, true, twice, err);
    if (status != TC_OK) {
        tci_region_destroy(region);
        return status;
    }
    *region_out = region;
    return TC_OK;
}

void tci_region_destroy(tci_region *region)
{
    if (region->unregister != NULL)
        region->unregister(region);
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
        memcpy(region->segment.base, region->base, TCI_REGION_WITNESS_BYTES);
    return region->segment.id;
}
