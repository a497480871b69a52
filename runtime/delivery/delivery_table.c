/* The table of deliveries. A new delivery is a row here. */
#include "delivery.h"

/* The kind of an endpoint's link was settled before: a stream's link has neither put nor am,
 * and another link has no stream. auto takes put if UCX reports that an RDMA adapter carries
 * it. am reaches all other peers, so auto ends there. */
const tci_delivery_ops *const tci_delivery_table[] = {
    &tci_delivery_direct, &tci_delivery_stream, &tci_delivery_put, &tci_delivery_am, NULL,
};
