#include "mpix_job.h"

#include <stdlib.h>
#include <string.h>

void mpix_job_fail(const char *file, int line, const char *text)
{
    fprintf(stderr, "%s:%d: %s\n", file, line, text);
    MPI_Abort(MPI_COMM_WORLD, 1);
    abort();
}

void mpix_job_expect(const char *file, int line, int code, int of_class, const char *part)
{
    char text[MPI_MAX_ERROR_STRING + 1] = "no error";
    int found = MPI_SUCCESS, size = 0;
    if (code != MPI_SUCCESS) {
        MPI_Error_class(code, &found);
        MPI_Error_string(code, text, &size);
    }
    if (found == of_class && strstr(text, part) != NULL)
        return;
    fprintf(stderr, "class %d, \"%s\": expected class %d, \"%s\"\n", found, text, of_class,
            part);
    mpix_job_fail(file, line, "an error differs");
}

static void add(const void *input, int64_t *number, void *output, int segments, int atomic)
{
    const int64_t *in = input;
    int64_t *out = output;
    for (int i = 0; i < segments; i++) {
        int64_t after =
            atomic ? __atomic_add_fetch(number, in[i], __ATOMIC_SEQ_CST) : (*number += in[i]);
        if (out != NULL)
            out[i] = after;
    }
}

void mpix_job_add(const void *input_addr, int input_segment_count,
                  MPI_Datatype input_segment_datatype, void *persistent_addr,
                  int persistent_count, MPI_Datatype persistent_datatype, void *output_addr,
                  int output_segment_count, MPI_Datatype output_segment_datatype,
                  int num_segments, int segment_offset)
{
    (void)segment_offset, (void)output_segment_datatype;
    if (input_segment_count != 1 || input_segment_datatype != MPI_INT64_T ||
        persistent_count != 1 || persistent_datatype != MPI_INT64_T || output_segment_count > 1)
        abort();
    add(input_addr, persistent_addr, output_segment_count == 1 ? output_addr : NULL,
        num_segments, 0);
}

void mpix_job_add_atomic(const void *input_addr, int input_segment_count,
                         MPI_Datatype input_segment_datatype, void *persistent_addr,
                         int persistent_count, MPI_Datatype persistent_datatype,
                         void *output_addr, int output_segment_count,
                         MPI_Datatype output_segment_datatype, int num_segments,
                         int segment_offset)
{
    (void)segment_offset, (void)output_segment_datatype, (void)input_segment_datatype;
    (void)persistent_datatype, (void)persistent_count, (void)input_segment_count;
    add(input_addr, persistent_addr, output_segment_count == 1 ? output_addr : NULL,
        num_segments, 1);
}

void mpix_job_open(mpix_job *job, const char *ordering, int allocate,
                   MPIX_Am_user_function *function)
{
    const MPI_Aint bytes = MPIX_JOB_NUMBERS * (MPI_Aint)sizeof(int64_t);
    MPI_Info info = MPI_INFO_NULL;
    if (ordering != NULL) {
        MPI_Info_create(&info);
        MPI_Info_set(info, "am_ordering", ordering);
    }
    if (allocate) {
        CHECK(MPI_Win_allocate(bytes, sizeof(int64_t), info, MPI_COMM_WORLD, &job->memory,
                               &job->win) == MPI_SUCCESS);
    } else {
        job->memory = job->own = malloc((size_t)bytes);
        CHECK(MPI_Win_create(job->memory, bytes, sizeof(int64_t), info, MPI_COMM_WORLD,
                             &job->win) == MPI_SUCCESS);
    }
    if (ordering != NULL)
        MPI_Info_free(&info);
    memset(job->memory, 0, (size_t)bytes);
    CHECK(MPIX_Am_op_create(function, &job->op) == MPI_SUCCESS);
    CHECK(MPIX_Am_win_op_register(job->op, job->win) == MPI_SUCCESS);
    MPI_Barrier(MPI_COMM_WORLD);
}

void mpix_job_close(mpix_job *job)
{
    CHECK(MPI_Win_free(&job->win) == MPI_SUCCESS);
    CHECK(MPIX_Am_op_free(&job->op) == MPI_SUCCESS);
    CHECK(job->op == MPI_OP_NULL);
    free(job->own);
    job->own = job->memory = NULL;
}

int mpix_job_send(const mpix_job *job, const int64_t *number, int64_t *answer, int rank, int at)
{
    return MPIX_Am(number, 1, MPI_INT64_T, answer, answer != NULL, MPI_INT64_T, 1, rank,
                   MPI_INT64_T, at, 1, MPI_INT64_T, MPI_INT64_T, job->op, job->win);
}
