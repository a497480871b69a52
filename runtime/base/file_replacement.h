/* A file that is there whole or not at all: written under a name of its own beside its place,
 * and moved there. Folders may be shared with others: the name is drawn, and whatever lies under
 * it already, links too, is left alone. */
#ifndef TCI_FILE_REPLACEMENT_H
#define TCI_FILE_REPLACEMENT_H

#include <stdbool.h>
#include <stddef.h>

/* False: errno says why, and nothing has changed. */
bool tci_file_replacement_write(const char *path, const void *bytes, size_t size);

#endif
