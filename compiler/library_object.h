/* Makes a slice of a library from a shared object of this or another machine: its unchanged
 * bytes, and the list of its exports. */
#ifndef TCI_LIBRARY_OBJECT_H
#define TCI_LIBRARY_OBJECT_H

#include "ifunc_module.h"

/* Returns whether the name is one of a shared object: foo.so, foo.so.1. */
bool tci_library_object_is(const char *path);

/* `name` is the library's; its entries are no exports. TC_E_NOT_FOUND, TC_E_IO, TC_E_TOO_LARGE,
 * TC_E_CORRUPT (no shared object for Linux on x86_64 or aarch64, or one that exports nothing),
 * TC_E_NO_MEMORY. */
TC_MUST_CHECK tc_status tci_library_object_read(const char *path, const char *name,
                                                tci_ifunc_code *code_out, tc_error *err);

#endif
