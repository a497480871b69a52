/* Memory that peers may write: a receive ring's region. */
#ifndef TCI_REGION_H
#define TCI_REGION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tc/status.h>

typedef struct tci_region tci_region;

/* How peers are to write the region; each value includes the ways below it. */
typedef enum tci_region_use {
    TCI_REGION_PUT, /* UCX puts at their best: memory of UCX's own, mapped by no peer */
    /* plain stores of peers on this host; UCX puts, on shared memory slowly */
    TCI_REGION_MAPPED,
    TCI_REGION_CLOSED /* not at all: arriving frames are copied here */
} tci_region_use;

/* Makes a zeroed region without a network's part, so TCI_REGION_PUT is not allowed. Falls back
 * to TCI_REGION_CLOSED when no shared memory is left. `twice`: maps it once more, read-only.
 * TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_region_create(size_t bytes, tci_region_use use, bool twice,
                                          tci_region **region_out, tc_error *err);
/* Frees the region. Peers keep their mappings of it; their stores then have no effect. */
void tci_region_destroy(tci_region *region);

uint8_t *tci_region_base(const tci_region *region);
/* Returns the same memory for reading: with `twice` a mapping where a store faults. */
uint8_t *tci_region_view(const tci_region *region);

/* Returns the packed rkey that a peer needs; owned by the region. Empty: no peer can put here.
 */
const void *tci_region_rkey(const tci_region *region, size_t *size_out);

/* Returns the number of a segment of shared memory that lives as long as the region and begins
 * with the same bytes, as they were at the time of this call; for a mapped region it is the
 * region itself. TCI_SEGMENT_NONE: there is no such segment. */
uint32_t tci_region_segment(tci_region *region);

#endif
