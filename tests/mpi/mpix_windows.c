/* Several windows, windows of parts of the processes, windows of different sizes and units, and
 * windows that have no active messages. */
#include "mpix_job.h"

#include <stdlib.h>
#include <string.h>

static const int64_t one = 1;

static void send(int64_t *answer, int to, MPI_Aint at, MPI_Op op, MPI_Win win)
{
    CHECK(MPIX_Am(&one, 1, MPI_INT64_T, answer, 1, MPI_INT64_T, 1, to, MPI_INT64_T, at, 1,
                  MPI_INT64_T, MPI_INT64_T, op, win) == MPI_SUCCESS);
}

/* Windows come and go; the operation stays. */
static void many(mpix_job *job)
{
    MPI_Op op;
    CHECK(MPIX_Am_op_create(mpix_job_add, &op) == MPI_SUCCESS);
    for (int round = 0; round < 12; round++) {
        MPI_Win wins[3];
        int64_t *memory[3], answer = 0;
        int to = (job->rank + round) % job->size;
        for (int w = 0; w < 3; w++) {
            memory[w] = calloc(512, sizeof *memory[w]);
            MPI_Win_create(memory[w], 512 * sizeof *memory[w], 1, MPI_INFO_NULL, MPI_COMM_WORLD,
                           &wins[w]);
            if (w != round % 3)
                CHECK(MPIX_Am_win_op_register(op, wins[w]) == MPI_SUCCESS);
            MPI_Win_fence(0, wins[w]);
        }
        for (int w = 0; w < 3; w++) {
            if (w != round % 3)
                send(&answer, to, 0, op, wins[w]);
        }
        for (int w = 0; w < 3; w++) {
            MPI_Win_fence(MPI_MODE_NOSUCCEED, wins[w]);
            CHECK(*memory[w] == (w != round % 3));
        }
        CHECK(answer == 1);
        for (int w = 0; w < 3; w++) {
            CHECK(MPI_Win_free(&wins[w]) == MPI_SUCCESS);
            free(memory[w]);
        }
    }
    CHECK(MPIX_Am_op_free(&op) == MPI_SUCCESS);
}

/* Even and odd ranks have windows of their own, in reverse order, beside one of all. Open MPI
 * 4.1 has no windows of one process on one host, and gives the files of two windows that are
 * made at a time one name. */
static void parts(mpix_job *job)
{
    MPI_Comm half;
    MPI_Win win;
    int rank, size;
    int64_t *memory, answer = 0;
    MPI_Info info;
    if (job->size < 4)
        return;
    mpix_job_open(job, NULL, 0, mpix_job_add);
    MPI_Comm_split(MPI_COMM_WORLD, job->rank % 2, -job->rank, &half);
    MPI_Comm_rank(half, &rank);
    MPI_Comm_size(half, &size);
    MPI_Info_create(&info);
    MPI_Info_set(info, "am_ordering", "none");
    for (int turn = 0; turn < 2; turn++) {
        if (turn == job->rank % 2)
            CHECK(MPI_Win_allocate(sizeof(int64_t), 1, info, half, &memory, &win) ==
                  MPI_SUCCESS);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Info_free(&info);
    *memory = 0;
    CHECK(MPIX_Am_win_op_register(job->op, win) == MPI_SUCCESS);
    CHECK(MPI_Win_fence(0, win) == MPI_SUCCESS);
    for (int i = 0; i < 100; i++)
        send(&answer, (rank + 1) % size, 0, job->op, win);
    CHECK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win) == MPI_SUCCESS);
    CHECK(*memory == 100);
    CHECK(MPI_Win_fence(0, job->win) == MPI_SUCCESS);
    CHECK(mpix_job_send(job, &one, &answer, (job->rank + 1) % job->size, 3) == MPI_SUCCESS);
    CHECK(MPI_Win_fence(MPI_MODE_NOSUCCEED, job->win) == MPI_SUCCESS);
    CHECK(job->memory[3] == 1 && answer == 1);
    CHECK(MPI_Win_free(&win) == MPI_SUCCESS);
    MPI_Comm_free(&half);
    mpix_job_close(job);
}

/* Rank 0 has no memory, and each other one a unit of its own. */
static void uneven(mpix_job *job)
{
    static int64_t memory[512];
    int64_t answer = 0;
    int unit = job->rank % 2 == 0 ? 8 : 1;
    MPI_Win win;
    MPI_Op op;
    CHECK(job->size <= 64);
    MPI_Win_create(memory, job->rank == 0 ? 0 : 8 * (MPI_Aint)(job->rank + 1), unit,
                   MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    CHECK(MPIX_Am_op_create(mpix_job_add, &op) == MPI_SUCCESS);
    CHECK(MPIX_Am_win_op_register(op, win) == MPI_SUCCESS);
    CHECK(MPI_Win_lock_all(0, win) == MPI_SUCCESS);
    for (int to = 0; to < job->size; to++) {
        MPI_Aint last = to * (to % 2 == 0 ? 1 : 8);
        int code = MPIX_Am(&one, 1, MPI_INT64_T, &answer, 1, MPI_INT64_T, 1, to, MPI_INT64_T,
                           last, 1, MPI_INT64_T, MPI_INT64_T, op, win);
        if (to == 0)
            CHECK_ERROR(code, MPI_ERR_RMA_RANGE, "has 0 bytes");
        else
            CHECK(code == MPI_SUCCESS);
        code = MPIX_Am(&one, 1, MPI_INT64_T, &answer, 1, MPI_INT64_T, 1, to, MPI_INT64_T,
                       last + 1, 1, MPI_INT64_T, MPI_INT64_T, op, win);
        CHECK_ERROR(code, MPI_ERR_RMA_RANGE, "the window of rank");
    }
    CHECK(MPI_Win_unlock_all(win) == MPI_SUCCESS);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(job->rank == 0 || memory[job->rank] == job->size);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(MPI_Win_free(&win) == MPI_SUCCESS);
    CHECK(MPIX_Am_op_free(&op) == MPI_SUCCESS);
}

/* The library's memory, of another size at each rank: the last one has none. */
static void uneven_allocated(mpix_job *job)
{
    int64_t *memory = NULL, answer = 0;
    const int mine = job->size - 1 - job->rank;
    MPI_Info info;
    MPI_Win win;
    MPI_Info_create(&info);
    MPI_Info_set(info, "am_ordering", "sameop,diffop,sameam");
    CHECK(MPI_Win_allocate(8 * (MPI_Aint)mine, 8, info, MPI_COMM_WORLD, &memory, &win) ==
          MPI_SUCCESS);
    MPI_Info_free(&info);
    CHECK(mine == 0 || (memory != NULL && memory[mine - 1] == 0));
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    MPI_Op op;
    CHECK(MPIX_Am_op_create(mpix_job_add_atomic, &op) == MPI_SUCCESS);
    CHECK(MPIX_Am_win_op_register(op, win) == MPI_SUCCESS);
    CHECK(MPI_Win_lock_all(MPIX_MODE_CONCURRENT_AM, win) == MPI_SUCCESS);
    for (int to = 0; to < job->size - 1; to++)
        send(&answer, to, job->size - 2 - to, op, win);
    CHECK_ERROR(MPIX_Am(&one, 1, MPI_INT64_T, &answer, 1, MPI_INT64_T, 1, job->size - 1,
                        MPI_INT64_T, 0, 1, MPI_INT64_T, MPI_INT64_T, op, win),
                MPI_ERR_RMA_RANGE, "has 0 bytes");
    CHECK(MPI_Win_unlock_all(win) == MPI_SUCCESS);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(mine == 0 || memory[mine - 1] == job->size);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(MPI_Win_free(&win) == MPI_SUCCESS);
    CHECK(MPIX_Am_op_free(&op) == MPI_SUCCESS);
}

/* Memory that MPI shares. */
static void shared(mpix_job *job)
{
    int64_t *memory, answer = 0;
    MPI_Win win;
    MPI_Op op;
    MPI_Win_allocate_shared(sizeof(int64_t), sizeof(int64_t), MPI_INFO_NULL, MPI_COMM_WORLD,
                            &memory, &win);
    *memory = 0;
    CHECK(MPIX_Am_op_create(mpix_job_add, &op) == MPI_SUCCESS);
    CHECK(MPIX_Am_win_op_register(op, win) == MPI_SUCCESS);
    MPI_Win_fence(0, win);
    send(&answer, (job->rank + 1) % job->size, 0, op, win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    CHECK(*memory == 1 && answer == 1);
    CHECK(MPI_Win_free(&win) == MPI_SUCCESS);
    CHECK(MPIX_Am_op_free(&op) == MPI_SUCCESS);
}

void mpix_suite_windows(mpix_job *job)
{
    many(job);
    parts(job);
    uneven(job);
    uneven_allocated(job);
    shared(job);
}

/* --- without active messages -------------------------------------------------------------- */

/* The functions in front of MPI's have the effect of MPI's. */
void mpix_suite_unused(mpix_job *job)
{
    int64_t *memory, value = 5;
    int to = (job->rank + 1) % job->size, from = (job->rank + job->size - 1) % job->size;
    int ended = 0;
    MPI_Group all;
    MPI_Win win;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Win_allocate(1024, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    memset(memory, 0, 1024);
    MPI_Win_fence(MPIX_MODE_CONCURRENT_AM, win);
    MPI_Put(&value, 1, MPI_INT64_T, to, job->rank, 1, MPI_INT64_T, win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    CHECK(memory[from] == 5);
    MPI_Win_post(all, 0, win);
    MPI_Win_start(all, MPIX_MODE_CONCURRENT_AM, win);
    value = 6;
    MPI_Put(&value, 1, MPI_INT64_T, to, job->rank, 1, MPI_INT64_T, win);
    MPI_Win_complete(win);
    while (!ended)
        MPI_Win_test(win, &ended);
    CHECK(memory[from] == 6);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, to, MPIX_MODE_CONCURRENT_AM, win);
    value = 7;
    MPI_Put(&value, 1, MPI_INT64_T, to, job->rank, 1, MPI_INT64_T, win);
    MPI_Win_flush(to, win);
    MPI_Win_flush_local(to, win);
    MPI_Win_unlock(to, win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(MPIX_MODE_CONCURRENT_AM, win);
    MPI_Win_flush_all(win);
    MPI_Win_flush_local_all(win);
    MPI_Win_sync(win);
    CHECK(memory[from] == 7);
    MPI_Win_unlock_all(win);
    CHECK(MPI_Win_free(&win) == MPI_SUCCESS);
    MPI_Group_free(&all);
}
