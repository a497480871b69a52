/* The folder where UCX's posix transport keeps its shared memory: /dev/shm, or UCX_POSIX_DIR. */
#ifndef TCI_UCX_SHARED_MEMORY_H
#define TCI_UCX_SHARED_MEMORY_H

#include "delivery/ucx_compat.h"

/* Removes files that processes of this user left there, killed in the few milliseconds between
 * UCX's making such a file and its taking the name away. What any process has open or mapped, of
 * whatever program and namespace, stays: the kernel is asked. */
void tci_ucx_shared_memory_sweep(void);

/* Whether there is such a folder for UCX to write in: where there is none it leaves posix out. */
bool tci_ucx_shared_memory_is_usable(void);

/* For a worker that UCX could not make: as tci_ucx_error, and what to do if the folder is the
 * cause. */
tc_status tci_ucx_shared_memory_error(tc_error *err, ucs_status_t status);

#endif
