/* The versions of a task graph: how outputs reach the tasks of other ranks. */
#ifndef TC_METG_VERSION_H
#define TC_METG_VERSION_H

#include "metg_rank.h"

typedef enum metg_way {
    METG_MPI,
    METG_FUNCTION, /* functions that are sent */
    METG_VIEW      /* stores into the other rank's window: <tc/window_view.h> */
} metg_way;

typedef struct metg_version {
    const char *name;
    metg_way way;
    /* Runs all steps at this rank. False after a line on stderr. */
    bool (*run)(metg_rank *r);
} metg_version;

#define METG_VERSIONS 5u
#define METG_VERSION_NAMES "mpi,mpi-gathered,function-single,function,view"

extern const metg_version metg_versions[METG_VERSIONS];

/* In metg_function.c. */
bool metg_function_run(metg_rank *r);
bool metg_function_run_single(metg_rank *r);

/* In metg_view.c. */
bool metg_view_run(metg_rank *r);

/* In metg_mpi.c, or in metg_without_mpi.c. */
bool metg_mpi_run(metg_rank *r);
bool metg_mpi_run_gathered(metg_rank *r);

/* NULL, or the reason for which this program cannot run the versions of MPI. */
const char *metg_mpi_missing(void);

/* The version of MPI, or "". */
const char *metg_mpi_library(void);

/* Makes a group of the processes that tc-run or mpirun started. False after a line on
 * stderr. */
bool metg_mpi_join(tc_context *ctx, int *argc, char ***argv, tc_group **group_out);

/* Ends MPI, when the context is gone. */
void metg_mpi_leave(void);

#endif
