/* Zeroed memory of whole pages, which takes no memory until it is written: a ring that a peer
 * asks for may stay unused. */
#ifndef TCI_PAGES_H
#define TCI_PAGES_H

#include <stddef.h>

/* NULL: out of memory. */
void *tci_pages_map(size_t bytes);
/* NULL is allowed. */
void tci_pages_unmap(void *pages, size_t bytes);

#endif
