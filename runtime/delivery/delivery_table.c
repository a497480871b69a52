/* The deliveries there are. A new one is a row here. */
#include "delivery.h"

/* am reaches everybody, so auto ends there. Whether puts would travel by RDMA and so be faster
 * cannot be told from every UCX (ucx_compat.h), so put is used only when asked for. */
const tci_delivery_ops *const tci_delivery_table[] = {
    &tci_delivery_direct,
    &tci_delivery_am,
    &tci_delivery_put,
    NULL,
};
