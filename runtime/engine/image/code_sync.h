/* Makes written bytes into instructions: bytes stored through one address of a memory run at
 * another. */
#ifndef TCI_CODE_SYNC_H
#define TCI_CODE_SYNC_H

#include "base/arch.h"

#include <stddef.h>
#include <stdint.h>

/* Determines the operations needed on this machine. Called before the first tci_code_sync, by
 * any thread, any number of times. */
void tci_code_sync_init(void);

/* Called when the bytes at `run` were written and will run, in this thread or in one that it
 * notifies, which calls tci_code_sync_adopt. `run` begins a page. */
void tci_code_sync(uint8_t *run, size_t bytes);

/* Called in a thread that is about to call code that another thread has loaded: its processor
 * may have prefetched from there, and on some architectures only that processor can discard
 * it. */
static inline void tci_code_sync_adopt(void)
{
    TCI_ARCH_REFETCH();
}

#endif
