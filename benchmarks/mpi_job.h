/* mpirun with two ranks (mpi_program.c), and a link to each, at the source of a session. */
#ifndef TC_PERF_MPI_JOB_H
#define TC_PERF_MPI_JOB_H

#include "mpi_words.h"
#include "perf_session.h"

#include <sys/types.h>

/* An MPI of this build. */
typedef struct mpi_system {
    const char *name;    /* among the versions of a report */
    const char *program; /* of its ranks */
    const char *run;     /* its mpirun */
    bool is_open;        /* Open MPI, whose mpirun has other options than MPICH's */
} mpi_system;

extern const mpi_system mpi_job_found; /* the one that CMake found */
extern const mpi_system mpi_job_mpich; /* MPICH, whichever that was */

typedef struct mpi_job {
    perf_session *session;
    const mpi_system *system;
    pid_t mpirun; /* 0: there is none */
    int listener;
    int links[2];     /* by rank; or -1 */
    const char *name; /* of the mode, for complaints */
    mpi_hello hello;  /* of rank 0 */
} mpi_job;

/* Returns when both ranks are there, each on its processor of the session's (-1: any). They end
 * with this process, however that ends. False after a complaint; mpi_job_end is owed in any
 * case, of a job that was never started too. */
bool mpi_job_start(mpi_job *job, perf_session *session, const mpi_system *system,
                   const char *name, bool is_tcp);

/* One order to both ranks, and their answers. The caller sleeps meanwhile. ticks: count
 * entries; NULL: not wanted. False after a complaint. */
bool mpi_job_run(mpi_job *job, const mpi_order *order, uint64_t *ticks, mpi_answer *answer_out);

void mpi_job_end(mpi_job *job);

#endif
