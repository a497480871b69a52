/* The ways of MPI, and a job under mpirun. */
#ifndef TC_GAM_MPI_H
#define TC_GAM_MPI_H

#include "gam_case.h"

#include <tc/group.h>

extern const gam_way *const gam_mpi_ways[]; /* NULL at the end */

bool gam_mpi_join(tc_context *ctx, int *argc, char ***argv, tc_group **group_out);
bool gam_mpi_open(gam_rank *r);
void gam_mpi_leave(void);

/* Name and version. */
const char *gam_mpi_library(void);

#endif
