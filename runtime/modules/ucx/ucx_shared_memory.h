/* The folder of UCX's posix transport for its shared memory: /dev/shm, or UCX_POSIX_DIR. */
#ifndef TCI_UCX_SHARED_MEMORY_H
#define TCI_UCX_SHARED_MEMORY_H

#include "modules/ucx/ucx_compat.h"

/* Removes files that processes of this user left there, killed in the few milliseconds between
 * UCX's making such a file and its removing the name. Files that any process has open or
 * mapped, of any program and namespace, stay: the kernel is asked. */
void tci_ucx_shared_memory_sweep(void);

/* Returns whether UCX can write to that folder: without it UCX leaves posix out. */
bool tci_ucx_shared_memory_is_usable(void);

/* For a worker that UCX could not make: as tci_ucx_error, with advice if the folder is the
 * cause. */
tc_status tci_ucx_shared_memory_error(tc_error *err, ucs_status_t status);

#endif
