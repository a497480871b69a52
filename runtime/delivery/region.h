/* Memory that peers may write: a receive ring's region. */
#ifndef TCI_REGION_H
#define TCI_REGION_H

#include "delivery/worker.h"

typedef struct tci_region tci_region;

/* How peers are to write it; each includes the ways below it. */
typedef enum tci_region_use {
    TCI_REGION_PUT, /* UCX puts at their best: memory of UCX's own, mapped by no one else */
    /* plain stores of peers on this host; UCX puts, on shared memory slowly */
    TCI_REGION_MAPPED,
    TCI_REGION_CLOSED /* not at all: what arrives is copied here */
} tci_region_use;

/* Zeroed. Gives a TCI_REGION_CLOSED one where there is no shared memory left. `twice`: it is mapped
 * once more, to be read alone. TC_E_UCX, TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_region_create(tci_worker *worker, size_t bytes, tci_region_use use,
                                          bool twice, tci_region **region_out, tc_error *err);
/* Peers that have it mapped keep their mapping; their stores then go nowhere. */
void tci_region_destroy(tci_region *region);

uint8_t *tci_region_base(const tci_region *region);
/* The same memory for who only reads it: of one that is mapped twice, where a store faults. */
uint8_t *tci_region_view(const tci_region *region);
/* Whether a TCI_REGION_PUT one of this worker's begins there and holds so many bytes. */
bool tci_region_begins(const tci_worker *worker, uint64_t address, size_t bytes);

/* The packed rkey that a peer needs; owned by the region. Empty: none can put here. */
const void *tci_region_rkey(const tci_region *region, size_t *size_out);

/* Number of a segment of shared memory that lives as long as the region does and begins with
 * the same bytes, as they were when this was called; of a mapped one it is the region itself.
 * TCI_SEGMENT_NONE: there is none. */
uint32_t tci_region_segment(tci_region *region);

#endif
