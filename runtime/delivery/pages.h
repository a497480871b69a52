/* Memory of whole pages, zero, which takes no memory until it is written: a ring that a peer
 * asks for need not be used. */
#ifndef TCI_PAGES_H
#define TCI_PAGES_H

#include <stddef.h>

/* NULL: there is none. */
void *tci_pages_map(size_t bytes);
/* NULL is allowed. */
void tci_pages_unmap(void *pages, size_t bytes);

#endif
