/* read(2) and write(2) until all bytes are done: they repeat after a signal, and continue after
 * a part. For files; waiting for a peer needs a deadline as well. */
#ifndef TCI_FULL_IO_H
#define TCI_FULL_IO_H

#include <stdbool.h>
#include <stddef.h>

/* Returns false on failure, with the reason in errno. *got_out is less than `size` when the
 * file ended. */
bool tci_full_io_read(int fd, void *bytes, size_t size, size_t *got_out);

/* Returns false on failure, with the reason in errno. */
bool tci_full_io_write(int fd, const void *bytes, size_t size);

#endif
