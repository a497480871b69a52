/* Reads NAME.tca and NAME.deps. */
#ifndef TCI_IFUNC_FILES_H
#define TCI_IFUNC_FILES_H

#include "ifunc/registry.h"

/* Reads from the first folder of the option ifunc_path that has name.tca. */
TC_MUST_CHECK tc_status tci_ifunc_files_read_named(tci_registry *registry, const char *name,
                                                   tc_ifunc **fn_out, tc_error *err);
TC_MUST_CHECK tc_status tci_ifunc_files_read(tci_registry *registry, const char *path,
                                             tc_ifunc **fn_out, tc_error *err);

#endif
