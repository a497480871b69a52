/* The members of a region, for its own source and for a module that registers regions with a
 * network. */
#ifndef TCI_REGION_OBJECT_H
#define TCI_REGION_OBJECT_H

#include "base/twin_pages.h"
#include "delivery/region.h"
#include "delivery/segment.h"

/* Bytes of memory of a network's own that a segment beside it shows: enough for a ring's
 * identity. */
#define TCI_REGION_WITNESS_BYTES 128u

struct tci_region {
    uint8_t *base;
    uint8_t *view; /* for reading: base, or another mapping of the same memory */
    tci_segment segment;
    tci_segment view_segment; /* of the segment's memory */
    tci_twin_pages twin;      /* instead of a segment, or of own */
    uint8_t *own;             /* NULL: the memory is the segment's, a network's or twin's */
    size_t own_bytes;
    const void *rkey; /* the key for puts of peers, which a network made; or NULL */
    size_t rkey_size;
    /* Frees the network's part of the region; called first. NULL: there is no such part. */
    void (*unregister)(tci_region *region);
};

/* Fills in a zeroed region, so that tci_region_destroy may follow in any case; it frees the
 * memory that malloc gave for the region. */
void tci_region_init(tci_region *region);

/* Gives the region a segment, if `use` and `shared` allow one and one is left; otherwise memory
 * that only this process maps. Statuses of tci_region_create. */
TC_MUST_CHECK tc_status tci_region_fill(tci_region *region, size_t bytes, tci_region_use use,
                                        bool shared, bool twice, tc_error *err);

/* Gives the region memory that only this process maps. */
TC_MUST_CHECK tc_status tci_region_fill_closed(tci_region *region, size_t bytes, bool twice,
                                               tc_error *err);

/* Adds a segment to the region, or logs that the system has no more of them. */
void tci_region_add_segment(tci_region *region, size_t bytes);

#endif
