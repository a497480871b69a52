/* Makes written bytes into instructions: what was stored through one address of a memory is to
 * run at another. */
#ifndef TCI_CODE_SYNC_H
#define TCI_CODE_SYNC_H

#include "base/arch.h"

#include <stddef.h>
#include <stdint.h>

/* Finds out what that takes here; before the first tci_code_sync. Any thread, any number of
 * times. */
void tci_code_sync_init(void);

/* The bytes at `run` were written and will run, in this thread or in one that it tells, which
 * calls tci_code_sync_adopt. `run` begins a page. */
void tci_code_sync(uint8_t *run, size_t bytes);

/* In a thread that is about to call what another one has loaded: its processor may have fetched
 * from there ahead of time, and on some architectures only it can forget that. */
static inline void tci_code_sync_adopt(void)
{
    TCI_ARCH_REFETCH();
}

#endif
