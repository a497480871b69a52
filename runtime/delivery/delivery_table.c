/* The deliveries there are. A new one is a row here. */
#include "delivery.h"

/* What link an endpoint has was settled before: with a stream's there is no am, and without one
 * there is no stream. am reaches everybody else, so auto ends there. Whether puts would travel by RDMA and so be faster
 * cannot be told from every UCX (ucx_compat.h), so put is used only when asked for. */
const tci_delivery_ops *const tci_delivery_table[] = {
    &tci_delivery_direct,
    &tci_delivery_stream,
    &tci_delivery_am,
    &tci_delivery_put,
    NULL,
};
