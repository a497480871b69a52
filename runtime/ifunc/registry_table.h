/* The tables of a registry, by index and by content id. They have few entries at first: most
 * programs use few functions, and each endpoint has a table of the same size. */
#ifndef TCI_REGISTRY_TABLE_H
#define TCI_REGISTRY_TABLE_H

#include "ifunc/registry.h"

/* Doubles the tables, up to the option functions_max, which they are below. Returns false when
 * there is no memory. */
bool tci_registry_table_grow(tci_registry *registry);

/* Returns the list of functions with the hash of this id. */
tc_ifunc **tci_registry_table_bucket(const tci_registry *registry, const tci_content_id *id);

#endif
