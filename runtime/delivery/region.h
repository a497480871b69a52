/* Memory that peers may write: a receive ring's region, allocated by UCX so that peers on this
 * host can map it. */
#ifndef TCI_REGION_H
#define TCI_REGION_H

#include "delivery/worker.h"

typedef struct tci_region tci_region;

/* Zeroed. TC_E_UCX, TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_region_create(tci_worker *worker, size_t bytes,
                                          tci_region **region_out, tc_error *err);
/* Peers that have it mapped keep their mapping; their stores then go nowhere. */
void tci_region_destroy(tci_region *region);

uint8_t *tci_region_base(const tci_region *region);
/* The packed rkey that a peer needs; owned by the region. */
const void *tci_region_rkey(const tci_region *region, size_t *size_out);

#endif
