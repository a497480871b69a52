/* Blocks of memory for chains under way. Those of the common size are kept for further chains:
 * an operation on a window allocates nothing while others of its kind end. */
#ifndef TCI_WINDOW_BLOCKS_H
#define TCI_WINDOW_BLOCKS_H

#include "base/assertion.h"

#include <stddef.h>
#include <stdlib.h>

/* A chain of one step, with a result of 8 bytes or a put of as many. */
#define TCI_WINDOW_BLOCK_BYTES 256u
/* Blocks that are kept. */
#define TCI_WINDOW_BLOCKS_MAX 64u

/* Zero at first. */
typedef struct tci_window_blocks {
    void *first; /* the next one is at its beginning */
    unsigned count;
} tci_window_blocks;

/* Returns NULL if there is no memory. */
static inline void *tci_window_blocks_take(tci_window_blocks *blocks, size_t bytes)
{
    void *block = blocks->first;
    if (bytes > TCI_WINDOW_BLOCK_BYTES)
        return malloc(bytes);
    if (block == NULL)
        return malloc(TCI_WINDOW_BLOCK_BYTES);
    TCI_INVARIANT_IS(window_blocks, blocks->count, >, 0);
    blocks->first = *(void **)block;
    blocks->count--;
    return block;
}

/* `bytes` as they were asked for. */
static inline void tci_window_blocks_give(tci_window_blocks *blocks, void *block, size_t bytes)
{
    if (bytes > TCI_WINDOW_BLOCK_BYTES || blocks->count >= TCI_WINDOW_BLOCKS_MAX) {
        free(block);
        return;
    }
    *(void **)block = blocks->first;
    blocks->first = block;
    blocks->count++;
    TCI_INVARIANT_IS(window_blocks, blocks->count, <=, TCI_WINDOW_BLOCKS_MAX);
}

static inline void tci_window_blocks_free(tci_window_blocks *blocks)
{
    while (blocks->first != NULL) {
        void *block = blocks->first;
        blocks->first = *(void **)block;
        free(block);
    }
    blocks->count = 0;
}

#endif
