/* Between registry.c, which knows what there is, and ifunc_load.c, which makes it callable. */
#ifndef TCI_REGISTRY_PRIVATE_H
#define TCI_REGISTRY_PRIVATE_H

#include "registry.h"

/* Code, job and entries are gone afterwards. */
void tci_ifunc_unload(tc_ifunc *fn);

/* Out of the registry, and freed. */
void tci_registry_remove(tc_ifunc *fn);

#endif
