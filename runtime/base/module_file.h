/* Modules: parts of the library that are loaded only by processes that need them. A module is a
 * shared object beside the library. It exports one table of functions; the first member of the
 * table is the number of its interface, a uint32_t. */
#ifndef TCI_MODULE_FILE_H
#define TCI_MODULE_FILE_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <tc/status.h>

typedef struct tci_module_file_kind {
    const char *what;   /* for texts: "code engine" */
    const char *file;   /* "libtchains-orc.so" */
    const char *symbol; /* the name of its table */
    uint32_t abi;
} tci_module_file_kind;

/* Loads a module from `folder`; when that is NULL or empty, from beside this library, the
 * folder of modules there, ../lib from there, or the folder where modules were installed. The
 * module stays loaded for the rest of the process's life. TC_E_UNSUPPORTED: no module can be
 * loaded, and the text lists the folders searched; TC_E_VERSION: it has another interface;
 * TC_E_NO_MEMORY. err may be NULL. */
TC_MUST_CHECK tc_status tci_module_file_open(const tci_module_file_kind *kind,
                                             const char *folder, const void **table_out,
                                             tc_error *err);

/* Returns whether a file of the module's name is in one of those folders. Opens no file. */
bool tci_module_file_is_there(const tci_module_file_kind *kind, const char *folder);

/* Finds the folder of the file that `address` was loaded from. Returns false when there is no
 * such file. */
bool tci_module_file_folder(const void *address, char folder_out[PATH_MAX]);

#endif
