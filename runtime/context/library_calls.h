/* What runs when a message comes for a library. */
#ifndef TCI_LIBRARY_CALLS_H
#define TCI_LIBRARY_CALLS_H

#include <stddef.h>

/* Puts the library in force that the message is for, or withdraws it, and answers. As an ifunc's
 * main. */
void tci_library_calls_main(void *payload, size_t payload_size, void *target_args);

#endif
