/* A shared object from an archive, opened as the process's own are: by its dynamic linker, from
 * a sealed file in memory, which cannot be changed. */
#ifndef TCI_SHARED_LIBRARY_H
#define TCI_SHARED_LIBRARY_H

#include "archive.h"

typedef struct tci_shared_library tci_shared_library;

/* Opens it and runs its constructors. It sees the process's symbols; its own are reached
 * through the table alone. TC_E_NO_LIBRARY (the dynamic linker's reason), TC_E_CORRUPT (it
 * lacks an export of the archive's list), TC_E_IO, TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_shared_library_open(const tci_archive *archive, size_t slice,
                                                tci_shared_library **library_out,
                                                tc_error *err);

/* Returns the addresses as a library's main gives them: docs/archive-format.md. */
void *const *tci_shared_library_table(const tci_shared_library *library);
/* Bytes of the file. */
size_t tci_shared_library_memory(const tci_shared_library *library);

/* No code of it may be running. NULL is allowed. */
void tci_shared_library_close(tci_shared_library *library);

#endif
