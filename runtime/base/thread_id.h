/* The kernel's numbers of threads, and the names that debuggers show for them. */
#ifndef TCI_THREAD_ID_H
#define TCI_THREAD_ID_H

#include <stdint.h>

#define TCI_THREAD_NAME_BYTES 17 /* 15, a line's end and a terminator */

/* Returns the number of the calling thread. Asks the kernel once. */
int tci_thread_id_own(void);

/* Returns a number that identifies the calling thread. Never 0. */
uintptr_t tci_thread_id_mark(void);

/* Finds the name of a thread of this process: "no name" without /proc, or when it has ended. */
void tci_thread_id_name(int id, char name_out[TCI_THREAD_NAME_BYTES]);

#endif
