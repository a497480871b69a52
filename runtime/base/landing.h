/* A landing is the staging buffer of a payload that does not lie in a ring. The receiver writes
 * to `bytes`. The function gets `view`: the same memory, or with the option payload=readonly
 * the same pages mapped a second time, where a store faults. */
#ifndef TCI_LANDING_H
#define TCI_LANDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct tci_landing {
    uint8_t *bytes; /* NULL: empty */
    uint8_t *view;
    size_t capacity;
} tci_landing;

/* Allocates at least `size` bytes at a multiple of the alignment, a power of two of at most a
 * page. They use no memory until they are written. Returns false without memory; *landing_out
 * is then unchanged. */
bool tci_landing_make(size_t size, size_t alignment, bool read_only, tci_landing *landing_out);
/* Does nothing to an empty one. */
void tci_landing_free(tci_landing *landing);

static inline bool tci_landing_holds(const tci_landing *landing, uintptr_t address)
{
    return address - (uintptr_t)landing->view < landing->capacity;
}

#endif
