#include "modules/ucx/ucx_deliveries.h"

/* `auto` takes put if UCX reports that an RDMA adapter carries it. am reaches all other peers
 * of a UCX link. */
const tci_delivery_ops *const tci_ucx_deliveries[] = {&tci_delivery_put, &tci_delivery_am,
                                                      NULL};
