/* A file that exists as a whole or not at all: it is written under a temporary name in the same
 * folder, then renamed. The folder may be shared with other users: the name is random, and
 * existing files of that name, also links, are left alone. */
#ifndef TCI_FILE_REPLACEMENT_H
#define TCI_FILE_REPLACEMENT_H

#include <stdbool.h>
#include <stddef.h>

/* Returns false on failure: errno has the reason, and no file has changed. */
bool tci_file_replacement_write(const char *path, const void *bytes, size_t size);

#endif
