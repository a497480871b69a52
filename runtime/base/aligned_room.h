/* Sizes for aligned_alloc. */
#ifndef TCI_ALIGNED_ROOM_H
#define TCI_ALIGNED_ROOM_H

#include <stddef.h>

/* Returns `bytes` rounded up to a multiple of the alignment, a power of two; never 0. */
static inline size_t tci_aligned_room(size_t bytes, size_t alignment)
{
    return bytes == 0 ? alignment : (bytes + alignment - 1) & ~(alignment - 1);
}

#endif
