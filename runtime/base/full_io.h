/* read(2) and write(2) until all is done: again after a signal, and on with the rest after a
 * part. For files; who waits for a peer wants a deadline as well. */
#ifndef TCI_FULL_IO_H
#define TCI_FULL_IO_H

#include <stdbool.h>
#include <stddef.h>

/* False: errno says why. *got_out is less than `size` when the file ended. */
bool tci_full_io_read(int fd, void *bytes, size_t size, size_t *got_out);

/* False: errno says why. */
bool tci_full_io_write(int fd, const void *bytes, size_t size);

#endif
