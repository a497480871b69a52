/* The exports of a library in an archive's index: names of functions and variables. */
#ifndef TCI_ARCHIVE_EXPORTS_H
#define TCI_ARCHIVE_EXPORTS_H

#include "archive.h"
#include "base/cursor.h"

/* Value of the upper four bits of the entries byte: the archive is a library, and a list
 * follows. */
#define TCI_LIBRARY_MARK 15u

typedef struct tci_exports {
    bool is_library;
    size_t count;
    const char **names; /* each preceded by its kind; views of the content */
} tci_exports;

/* Reads the list that follows an entries byte with the mark. TC_E_CORRUPT, TC_E_TOO_LARGE,
 * TC_E_NO_MEMORY; `exports` is for tci_archive_exports_free also after a failure. */
TC_MUST_CHECK tc_status tci_archive_exports_read(tci_reader *r, tci_exports *exports,
                                                 tc_error *err);
void tci_archive_exports_free(tci_exports *exports);

/* Checks, sorts and copies. TC_E_INVALID, also for a repeated name; TC_E_TOO_LARGE,
 * TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_archive_exports_copy(const tci_export *list, size_t count,
                                                 void **bytes_out, size_t *size_out,
                                                 tc_error *err);

#endif
