/* A process of the test of continuations: its context, its group, and requests that it
 * completes itself. */
#ifndef MPI_CONTINUE_JOB_H
#define MPI_CONTINUE_JOB_H

#include "../shipped/tally.h"

#include <tc/mpi_continue.h>
#include <tc/tc.h>

#include <stdio.h>

#define DEADLINE_NS TC_SECONDS(60) /* only ends processes that hang */

#define EXPECT(what)                                                                           \
    do {                                                                                       \
        if (!(what)) {                                                                         \
            fprintf(stderr, "rank %u: %s:%d: %s\n", job.rank, __FILE__, __LINE__, #what);      \
            MPI_Abort(MPI_COMM_WORLD, 1);                                                      \
        }                                                                                      \
    } while (0)

/* Numbers of sources in the tally of a rank. Rank 1 has some messages of several parts of the
 * test from one source, which go on counting. */
enum { FROM_STREAM, FROM_OWN, FROM_ORDER, FROM_CREDIT, SOURCES };
enum { OWN_SENT, OWN_BESIDE, OWN_WHOLE, OWN_PERSISTENT = OWN_WHOLE + 2 };

typedef struct continue_job {
    tc_context *ctx;
    tc_group *group;
    tc_ifunc *tally;
    uint32_t rank;
    MPI_Comm comm;               /* errors return */
    uint32_t seen[SOURCES];      /* functions that have run here */
    uint32_t unordered[SOURCES]; /* of them, with another number than the next one */
    uint32_t torn;               /* that were not whole */
    tc_error err;
} continue_job;

extern continue_job job;

/* An outcome, kept. */
typedef struct ending {
    unsigned calls;
    tc_status status;
    char text[256];
    MPI_Status result;
    MPI_Request request;
} ending;

/* A callback for an ending. */
void keep(void *user, const tc_mpi_outcome *outcome);

/* tc_mpi_continue of the function at a rank. */
tc_status continue_at(tc_mpi_continuations *set, MPI_Request *request, uint32_t rank,
                      const void *args, size_t size, const tc_mpi_continue_params *params);

void barrier(void);

/* Makes a message for the function. */
void fill(void *at, uint32_t source, uint32_t n, size_t size);

/* The code of the function in these processes. */
void run_here(void *payload, size_t size, void *unused);

/* Progresses until the function has run so often for a source, and checks that all of its
 * messages were whole. */
void await_functions(uint32_t source, uint32_t count);

/* A request that MPI_Grequest_complete completes; a pointer: as one that was cancelled. */
MPI_Request own_request(void *is_cancelled);

/* Parts of the test that rank 1 has, with others. The last one ends the context of rank 2. */
void check_cancelled(void);
void check_failed(void);
void check_persistent(void);
void check_closed(void);

#endif
