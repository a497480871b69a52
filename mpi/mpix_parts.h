/* Takes a derived datatype apart. */
#ifndef TCM_MPIX_PARTS_H
#define TCM_MPIX_PARTS_H

#include "mpix_runs.h"

#include <mpi.h>

#define TCM_PARTS_DEPTH_MAX 32 /* types within types */

/* Appends the runs of a type's parts to an empty list, of which the caller sets the extent.
 * Returns NULL or a text. depth: types around it */
const char *tcm_parts_read(MPI_Datatype handle, tcm_runs *runs, int depth);

#endif
