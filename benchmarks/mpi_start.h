/* The start of a job under mpirun, as a group of this library's: for programs that measure both
 * in the same processes. A file of its own for each MPI that a program is built by. */
#ifndef TC_PERF_MPI_START_H
#define TC_PERF_MPI_START_H

#include <stdbool.h>
#include <tc/group.h>

/* Calls MPI_Init and makes a group of the same ranks, which listen on loopback, as under
 * tc-run. False: a line on standard error begins with the program's name. */
bool mpi_start_join(const char *program, tc_context *ctx, int *argc, char ***argv,
                    tc_group **group_out);

/* Returns whether MPI was started. */
bool mpi_start_has_begun(void);

/* The MPI's name and version; "" before the start. */
const char *mpi_start_library(void);

/* Calls MPI_Finalize, if MPI was started. */
void mpi_start_end(void);

#endif
