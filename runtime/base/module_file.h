/* Parts of the library that are loaded only by processes that need them: shared objects beside
 * it, each of which exports one table of functions whose first member is the number of its
 * interface, a uint32_t. */
#ifndef TCI_MODULE_FILE_H
#define TCI_MODULE_FILE_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <tc/status.h>

typedef struct tci_module_file_kind {
    const char *what;   /* for texts: "code engine" */
    const char *file;   /* "libtchains-orc.so" */
    const char *symbol; /* its table */
    uint32_t abi;
} tci_module_file_kind;

/* Looks in `folder`; when that is NULL or empty, beside this library, in the folder of modules
 * there, in ../lib from there, and where modules were installed. What it loads stays for the
 * rest of the process's life. TC_E_UNSUPPORTED: there is none that can be loaded, and where it
 * was looked for; TC_E_VERSION: it has another interface. err may be NULL. */
TC_MUST_CHECK tc_status tci_module_file_open(const tci_module_file_kind *kind,
                                             const char *folder, const void **table_out,
                                             tc_error *err);

/* Whether a file of the module's name is in one of those folders. Opens nothing. */
bool tci_module_file_is_there(const tci_module_file_kind *kind, const char *folder);

/* The folder of the file that `address` was loaded from. False: it is of no file. */
bool tci_module_file_folder(const void *address, char folder_out[PATH_MAX]);

#endif
