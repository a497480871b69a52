/* Active messages for a window that MPI has made. */
#ifndef TCM_MPIX_OPEN_H
#define TCM_MPIX_OPEN_H

#include "mpix_window.h"

/* Opens and publishes it. Collective over its processes. NULL at all, with one's reason, if one
 * fails. */
tcm_window *tcm_open_window(MPI_Win win, uint32_t unordered, tc_error *err);

/* Keeps the address that a window was created with, as MPICH 4.0 over UCX may give another one
 * as MPI_WIN_BASE where windows are close neighbours. */
void tcm_open_remember(MPI_Win win, void *base);

/* Frees the attribute that keeps it. */
void tcm_open_fini(void);

#endif
