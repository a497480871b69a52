/* Pages that are mapped twice: once to be written, and once more to be read alone. A store through
 * the second mapping faults, whatever the first one is used for meanwhile. */
#ifndef TCI_TWIN_PAGES_H
#define TCI_TWIN_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct tci_twin_pages {
    uint8_t *bytes; /* NULL: none */
    uint8_t *view;  /* the same pages, read-only */
    size_t size;    /* a multiple of the page size */
} tci_twin_pages;

/* At least `size` bytes, zero, which take no memory until they are written. False: there is no
 * memory, or no descriptor, which one needs for a moment. */
bool tci_twin_pages_map(size_t size, tci_twin_pages *pages_out);
/* NULLs are allowed. */
void tci_twin_pages_unmap(tci_twin_pages *pages);

/* The view alone, of memory that somebody else has mapped and keeps. NULL: it is not memory that can
 * be mapped twice, because it is private or does not begin at a page. */
uint8_t *tci_twin_pages_view(void *bytes, size_t size);
/* NULL is allowed. */
void tci_twin_pages_drop_view(uint8_t *view, size_t size);

#endif
