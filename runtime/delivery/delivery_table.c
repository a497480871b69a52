/* The table of deliveries. A new delivery is a row here. */
#include "delivery.h"

/* `auto` passes over the deliveries whose link_uses the endpoint's link lacks. It takes put if
 * UCX reports that an RDMA adapter carries it. am reaches all other peers of a UCX link. */
const tci_delivery_ops *const tci_delivery_table[] = {
    &tci_delivery_direct, &tci_delivery_stream, &tci_delivery_put, &tci_delivery_am, NULL,
};
