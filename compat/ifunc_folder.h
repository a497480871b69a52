/* The folder of functions, UCX_IFUNC_LIB_DIR. */
#ifndef TCI_IFUNC_FOLDER_H
#define TCI_IFUNC_FOLDER_H

#include "known_code.h"

/* Reads and loads NAME. With prefer_library, NAME.so is tried first. Statuses are those of
 * ucp_register_ifunc. */
ucs_status_t tci_ifunc_folder_load(const char *name, bool prefer_library,
                                   const tci_known_code **code_out);

#endif
