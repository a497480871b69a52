/* Shared by the suites of mpix_main: checks that end the job, and a handler that adds. */
#ifndef MPIX_JOB_H
#define MPIX_JOB_H

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <tc/mpix_am.h>

/* Ends all processes if a condition does not hold. */
#define CHECK(condition)                                                                       \
    do {                                                                                       \
        if (!(condition))                                                                      \
            mpix_job_fail(__FILE__, __LINE__, #condition);                                     \
    } while (0)

/* An error code is of a class, and its text has a part. */
#define CHECK_ERROR(code, of_class, part)                                                      \
    mpix_job_expect(__FILE__, __LINE__, code, of_class, part)

void mpix_job_fail(const char *file, int line, const char *text);
void mpix_job_expect(const char *file, int line, int code, int of_class, const char *part);

/* Adds each input of 8 bytes to the first number of the range; outputs are the numbers
 * after. */
MPIX_Am_user_function mpix_job_add;

/* The same with atomic additions. */
MPIX_Am_user_function mpix_job_add_atomic;

/* Ranks, and a window of 8-byte numbers. */
typedef struct mpix_job {
    int rank;
    int size;
    long count; /* active messages of a suite */
    int64_t *memory;
    int64_t *own; /* memory, if it is the program's */
    MPI_Win win;
    MPI_Op op;
} mpix_job;

#define MPIX_JOB_NUMBERS 64

/* Opens a window of that many numbers, zeroed, with an operation. ordering: the value of the
 * key, or NULL; allocate: by MPI_Win_allocate */
void mpix_job_open(mpix_job *job, const char *ordering, int allocate,
                   MPIX_Am_user_function *function);
void mpix_job_close(mpix_job *job);

/* Starts an addition of *number, to a rank's number `at`. */
int mpix_job_send(const mpix_job *job, const int64_t *number, int64_t *answer, int rank,
                  int at);

void mpix_suite_epochs(mpix_job *job);
void mpix_suite_orders(mpix_job *job);
void mpix_suite_concurrent(mpix_job *job);
void mpix_suite_types(mpix_job *job);
void mpix_suite_arrays(mpix_job *job);
void mpix_suite_derived(mpix_job *job);
void mpix_suite_errors(mpix_job *job);
void mpix_suite_fatal(mpix_job *job);
void mpix_suite_windows(mpix_job *job);
void mpix_suite_unused(mpix_job *job);

#endif
