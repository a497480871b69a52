/* Active messages for a window that MPI has made. */
#ifndef TCM_MPIX_OPEN_H
#define TCM_MPIX_OPEN_H

#include "mpix_window.h"

/* Opens and publishes it. Collective over its processes. NULL at all, with one's reason, if one
 * fails. */
tcm_window *tcm_open_window(MPI_Win win, uint32_t unordered, tc_error *err);

#endif
