/* Reads the kind of a library file: a shared library, a linker's text that names others, or a
 * static library. */
#ifndef TCI_LIBRARY_FILE_H
#define TCI_LIBRARY_FILE_H

#include "text_list.h"

#include <tc/status.h>

#define TCI_SONAME_MAX 256

typedef enum tci_library_kind {
    TCI_LIBRARY_SHARED = 1,
    TCI_LIBRARY_SCRIPT,
    TCI_LIBRARY_STATIC,
    /* for another kind of machine, or not in a form that a linker knows: skipped in the
     * search */
    TCI_LIBRARY_FOREIGN
} tci_library_kind;

typedef struct tci_library_file {
    tci_library_kind kind;
    /* of a shared library: DT_SONAME, or the file's own name without one */
    char soname[TCI_SONAME_MAX];
    tci_text_list inputs; /* of a script: the names in GROUP and INPUT; see below */
} tci_library_file;

/* The bytes of the file are not trusted. TC_E_NOT_FOUND, TC_E_IO, TC_E_CORRUPT (an ELF file
 * that contradicts itself), TC_E_NO_MEMORY. On success the result is for tci_library_file_fini.
 */
TC_MUST_CHECK tc_status tci_library_file_read(const char *path, tci_library_file *file_out,
                                              tc_error *err);
void tci_library_file_fini(tci_library_file *file);

/* Adds the names in INPUT and GROUP, in order: paths, file names, "-lfoo". Names in AS_NEEDED
 * are left out: only a linker, which sees the symbols, could decide whether they are needed.
 * Returns false when the text is no such script; `inputs` is then unspecified. */
bool tci_library_script_read(const char *text, size_t size, tci_text_list *inputs);

#endif
