/* The folder of functions, UCX_IFUNC_LIB_DIR. */
#ifndef TCI_IFUNC_FOLDER_H
#define TCI_IFUNC_FOLDER_H

#include "known_code.h"

/* Reads and loads NAME. prefer_library: NAME.so first. Statuses of ucp_register_ifunc. */
ucs_status_t tci_ifunc_folder_load(const char *name, bool prefer_library,
                                   const tci_known_code **code_out);

#endif
