/* The deliveries there are. A new one is a row here. */
#include "delivery.h"

/* What link an endpoint has was settled before: with a stream's there is no put and no am, and
 * without one there is no stream. auto takes put where UCX says that an RDMA adapter carries it. am
 * reaches everybody else, so auto ends there. */
const tci_delivery_ops *const tci_delivery_table[] = {
    &tci_delivery_direct, &tci_delivery_stream, &tci_delivery_put, &tci_delivery_am, NULL,
};
