/* Makes written bytes into instructions: what was stored through one address of a memory is to
 * run at another. */
#ifndef TCI_CODE_SYNC_H
#define TCI_CODE_SYNC_H

#include <stddef.h>
#include <stdint.h>

/* Finds out what that takes here; before the first tci_code_sync. Any thread, any number of
 * times. */
void tci_code_sync_init(void);

/* The bytes at `run` were written and will run, in this thread or in one that it tells. `run`
 * begins a page. */
void tci_code_sync(uint8_t *run, size_t bytes);

#endif
