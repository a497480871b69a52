/* The deliveries over UCX. A new one is a row of ucx_deliveries.c. */
#ifndef TCI_UCX_DELIVERIES_H
#define TCI_UCX_DELIVERIES_H

#include "delivery/delivery.h"

extern const tci_delivery_ops tci_delivery_am;
extern const tci_delivery_ops tci_delivery_put;

/* Ended by NULL, in the order in which `auto` tries them. */
extern const tci_delivery_ops *const tci_ucx_deliveries[];

#endif
