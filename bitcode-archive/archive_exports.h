/* What a library exports, as an archive lists it: names of functions and variables. */
#ifndef TCI_ARCHIVE_EXPORTS_H
#define TCI_ARCHIVE_EXPORTS_H

#include "archive.h"
#include "base/cursor.h"

/* In the upper four bits of the byte of entries: this is a library, and a list follows. */
#define TCI_LIBRARY_MARK 15u

typedef struct tci_exports {
    bool is_library;
    size_t count;
    const char **names; /* behind each one's kind; views of the content */
} tci_exports;

/* The list behind a byte of entries that has the mark. TC_E_CORRUPT, TC_E_TOO_LARGE, TC_E_NO_MEMORY;
 * what it has is for tci_archive_exports_free also then. */
TC_MUST_CHECK tc_status tci_archive_exports_read(tci_reader *r, tci_exports *exports,
                                                 tc_error *err);
void tci_archive_exports_free(tci_exports *exports);

/* Checks, sorts and copies. TC_E_INVALID, also for a name that comes twice; TC_E_TOO_LARGE,
 * TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_archive_exports_copy(const tci_export *list, size_t count,
                                                 void **bytes_out, size_t *size_out,
                                                 tc_error *err);

#endif
