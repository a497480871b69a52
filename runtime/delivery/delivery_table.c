/* The table of deliveries without a network. A new one is a row here; one over UCX is a row of
 * modules/ucx/ucx_deliveries.c. */
#include "delivery.h"

/* `auto` passes over the deliveries whose link_uses the endpoint's link lacks. */
const tci_delivery_ops *const tci_delivery_table[] = {&tci_delivery_direct,
                                                      &tci_delivery_stream, NULL};
