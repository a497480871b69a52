/* A whole run at one rank: every round has every case. */
#ifndef TC_GAM_RUN_H
#define TC_GAM_RUN_H

#include "gam_case.h"

#include <tc/group.h>

/* Ways of MPI. Zeroed: the program is without MPI. */
typedef struct gam_mpi_part {
    const gam_way *const *ways; /* NULL at the end */
    const char *library;
    bool (*open)(gam_rank *r);
} gam_mpi_part;

/* Rank 1 writes the report. False after a complaint, or if a value was wrong. */
bool gam_run(tc_context *ctx, tc_group *group, const gam_options *options, const char *program,
             const gam_mpi_part *mpi);

#endif
