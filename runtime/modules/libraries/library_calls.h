/* The code that runs for a message to a library. */
#ifndef TCI_LIBRARY_CALLS_H
#define TCI_LIBRARY_CALLS_H

#include <stddef.h>

/* Puts the library of the message in force, or withdraws it, and replies. Has the signature of
 * an ifunc's main. */
void tci_library_calls_main(void *payload, size_t payload_size, void *target_args);

#endif
