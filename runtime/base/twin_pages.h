/* Pages that are mapped twice: once for writing, and once more read-only. A store through the
 * second mapping faults, however the first one is used meanwhile. */
#ifndef TCI_TWIN_PAGES_H
#define TCI_TWIN_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct tci_twin_pages {
    uint8_t *bytes; /* NULL: empty */
    uint8_t *view;  /* the same pages, read-only */
    size_t size;    /* a multiple of the page size */
} tci_twin_pages;

/* Maps at least `size` bytes, zero, which use no memory until they are written. Returns false
 * without memory, or without a descriptor, which it needs for a moment. */
bool tci_twin_pages_map(size_t size, tci_twin_pages *pages_out);
/* NULLs are allowed. */
void tci_twin_pages_unmap(tci_twin_pages *pages);

/* Maps only the view, of memory that another owner has mapped and keeps. Returns NULL when the
 * memory cannot be mapped twice, because it is private or does not begin at a page. */
uint8_t *tci_twin_pages_view(void *bytes, size_t size);
/* NULL is allowed. */
void tci_twin_pages_drop_view(uint8_t *view, size_t size);

#endif
