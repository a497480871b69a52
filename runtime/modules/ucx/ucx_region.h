/* Regions that UCX knows, so that peers can put there. */
#ifndef TCI_UCX_REGION_H
#define TCI_UCX_REGION_H

#include "delivery/region.h"
#include "modules/ucx/worker.h"

/* Makes a region as tci_region_create, for all uses. TC_E_UCX, TC_E_NO_MEMORY;
 * TC_E_UNSUPPORTED: the application's UCX context has no puts. */
TC_MUST_CHECK tc_status tci_ucx_region_create(tci_worker *worker, size_t bytes,
                                              tci_region_use use, bool twice,
                                              tci_region **region_out, tc_error *err);

/* Returns whether a TCI_REGION_PUT region of this worker begins there and holds so many bytes.
 */
bool tci_ucx_region_begins(const tci_worker *worker, uint64_t address, size_t bytes);

#endif
