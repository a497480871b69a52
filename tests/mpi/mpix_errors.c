/* Each mistake of a program gives an error of a class, with a text, and nothing hangs after
 * it. */
#include "mpix_job.h"

#include <stdlib.h>
#include <string.h>

static const int64_t one = 1;
static int64_t out;

/* Calls MPI, as a handler must not. */
static MPI_Win forbidden;
static int forbidden_call;

static void call_mpi(const void *in, int in_count, MPI_Datatype in_type, void *range,
                     int range_count, MPI_Datatype range_type, void *out_addr, int out_count,
                     MPI_Datatype out_type, int segments, int first)
{
    MPI_Op op;
    int64_t number = 0;
    (void)in, (void)in_count, (void)in_type, (void)range, (void)range_count, (void)range_type;
    (void)out_addr, (void)out_count, (void)out_type, (void)segments, (void)first;
    if (forbidden_call == 0)
        CHECK(MPI_Win_flush(0, forbidden) == MPI_ERR_OTHER);
    else if (forbidden_call == 1)
        CHECK(MPIX_Am_op_create(call_mpi, &op) == MPI_ERR_OTHER);
    else
        CHECK(MPIX_Am(&number, 1, MPI_INT64_T, NULL, 0, MPI_INT64_T, 1, 0, MPI_INT64_T, 0, 1,
                      MPI_INT64_T, MPI_INT64_T, MPI_OP_NULL, forbidden) == MPI_ERR_OTHER);
}

/* An active message that is right until a caller changes a part. */
typedef struct call {
    const void *in;
    int in_count;
    MPI_Datatype in_type;
    void *out;
    int out_count;
    MPI_Datatype out_type;
    int segments;
    int to;
    MPI_Datatype in_there;
    MPI_Aint at;
    int range_count;
    MPI_Datatype range_type;
    MPI_Datatype out_there;
    MPI_Op op;
    MPI_Win win;
} call;

static call right(const mpix_job *job)
{
    return (call){&one, 1, MPI_INT64_T, &out,        1,       MPI_INT64_T, 1, 0, MPI_INT64_T,
                  0,    1, MPI_INT64_T, MPI_INT64_T, job->op, job->win};
}

static int start(const call *c)
{
    return MPIX_Am(c->in, c->in_count, c->in_type, c->out, c->out_count, c->out_type,
                   c->segments, c->to, c->in_there, c->at, c->range_count, c->range_type,
                   c->out_there, c->op, c->win);
}

#define REFUSES(change, of_class, part)                                                        \
    do {                                                                                       \
        call c = right(job);                                                                   \
        change;                                                                                \
        CHECK_ERROR(start(&c), of_class, part);                                                \
    } while (0)

static void arguments(mpix_job *job)
{
    REFUSES(c.op = MPI_SUM, MPI_ERR_OP, "am_op: it is not registered");
    REFUSES(c.op = MPI_OP_NULL, MPI_ERR_OP, "am_op: it is not registered");
    REFUSES(c.to = job->size, MPI_ERR_RANK, "no such rank");
    REFUSES(c.to = -77, MPI_ERR_RANK, "no such rank");
    REFUSES(c.segments = -1, MPI_ERR_COUNT, "num_segments");
    REFUSES(c.in_count = -1, MPI_ERR_COUNT, "input: the count is negative");
    REFUSES(c.out_count = -1, MPI_ERR_COUNT, "output: the count is negative");
    REFUSES(c.range_count = -1, MPI_ERR_COUNT, "target_persistent_count");
    REFUSES(c.at = -1, MPI_ERR_DISP, "target_persistent_disp");
    REFUSES(c.at = MPIX_JOB_NUMBERS, MPI_ERR_RMA_RANGE, "the window of rank 0 has 512 bytes");
    REFUSES(c.range_count = MPIX_JOB_NUMBERS + 1, MPI_ERR_RMA_RANGE, "has 520 bytes");
    REFUSES(c.at = (MPI_Aint)1 << 61, MPI_ERR_RMA_RANGE, "the window of rank 0");
    REFUSES(c.in = NULL, MPI_ERR_BUFFER, "input: its address is NULL");
    REFUSES(c.out = NULL, MPI_ERR_BUFFER, "output: its address is NULL");
    REFUSES(c.in_there = MPI_DOUBLE, MPI_ERR_TYPE, "input: a segment's type signature");
    REFUSES(c.out_there = MPI_2INT, MPI_ERR_TYPE, "output: a segment's type signature");
    REFUSES(c.in_type = MPI_DATATYPE_NULL, MPI_ERR_TYPE, "input: it is MPI_DATATYPE_NULL");
    REFUSES(c.range_type = MPI_DATATYPE_NULL, MPI_ERR_TYPE, "target_persistent_datatype");
    REFUSES(c.in_count = 1 << 28, MPI_ERR_BUFFER, "one segment takes 2147483648 bytes");
    REFUSES(c.out_count = 1 << 28, MPI_ERR_BUFFER, "expected 1073741824 at most");
    call nothing = right(job);
    nothing.to = MPI_PROC_NULL;
    CHECK(start(&nothing) == MPI_SUCCESS);
    nothing = right(job);
    nothing.segments = 0;
    CHECK(start(&nothing) == MPI_SUCCESS);
}

static void types(mpix_job *job)
{
    const MPI_Aint back = -8;
    const int two = 2;
    int64_t many[64] = {0};
    MPI_Datatype before, same, vector, fortran;
    MPI_Type_create_hindexed(1, &two, &back, MPI_INT64_T, &before);
    MPI_Type_create_hvector(4, 2, 8, MPI_INT64_T, &same);
    MPI_Type_vector(2, 1, 2, MPI_INT64_T, &vector);
    MPI_Type_commit(&before);
    MPI_Type_commit(&same);
    MPI_Type_commit(&vector);
    if (MPI_Type_create_f90_integer(9, &fortran) == MPI_SUCCESS)
        REFUSES((c.in = many, c.in_type = fortran), MPI_ERR_TYPE, "by a constructor");
    REFUSES((c.in = many + 8, c.in_type = before), MPI_ERR_TYPE, "negative offsets");
    REFUSES((c.out = many, c.out_type = same), MPI_ERR_TYPE, "its elements overlap");
    REFUSES((c.in = many, c.in_count = 2, c.in_there = vector), MPI_ERR_TYPE,
            "that takes MPI_THREAD_MULTIPLE");
    REFUSES(c.range_type = vector, MPI_ERR_TYPE, "that takes MPI_THREAD_MULTIPLE");
    MPI_Type_free(&before);
    MPI_Type_free(&same);
    MPI_Type_free(&vector);
}

/* Parts of arrays that are too many pieces, or too large. */
static void arrays(mpix_job *job)
{
    const int sizes[3] = {70000, 2, 1}, columns[3] = {70000, 1, 1}, zero[3] = {0, 0, 0};
    const int large[3] = {1 << 18, 1 << 18, 1 << 18}, ones[3] = {1, 1, 1};
    const int kinds[2] = {MPI_DISTRIBUTE_NONE, MPI_DISTRIBUTE_CYCLIC}, grid[2] = {1, 2};
    const int blocks[2] = {MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG};
    int64_t many[64] = {0};
    MPI_Datatype types[3];
    MPI_Type_create_subarray(3, sizes, columns, zero, MPI_ORDER_C, MPI_INT64_T, &types[0]);
    MPI_Type_create_darray(2, 0, 2, sizes, kinds, blocks, grid, MPI_ORDER_C, MPI_INT64_T,
                           &types[1]);
    MPI_Type_create_subarray(3, large, ones, zero, MPI_ORDER_C, MPI_INT64_T, &types[2]);
    for (int i = 0; i < 3; i++) {
        MPI_Type_commit(&types[i]);
        REFUSES((c.in = many, c.in_type = types[i]), MPI_ERR_TYPE,
                i < 2 ? "more than 65,536 pieces" : "an offset in it is beyond 2^48");
        MPI_Type_free(&types[i]);
    }
}

/* A segment that is larger than all that the target has attached. */
static void too_large(mpix_job *job)
{
    int64_t *many = calloc(40000, sizeof *many);
    call c = right(job);
    c.in = many;
    c.in_count = 40000;
    c.to = (job->rank + 1) % job->size;
    CHECK(MPI_Win_lock_all(0, job->win) == MPI_SUCCESS);
    CHECK(start(&c) == MPI_SUCCESS);
    CHECK_ERROR(MPI_Win_flush(c.to, job->win), MPI_ERR_BUFFER, "attached");
    CHECK(MPI_Win_unlock_all(job->win) == MPI_SUCCESS);
    free(many);
}

static void buffers(mpix_job *job)
{
    static char memory[4096];
    MPI_Win win = job->win;
    CHECK_ERROR(MPIX_Am_win_buffer_attach(win, NULL, 8), MPI_ERR_ARG, "the buffer is NULL");
    CHECK_ERROR(MPIX_Am_win_buffer_attach(win, memory, 0), MPI_ERR_ARG, "has 0 bytes");
    CHECK(MPIX_Am_win_buffer_attach(win, memory, 1024) == MPI_SUCCESS);
    CHECK_ERROR(MPIX_Am_win_buffer_attach(win, memory + 1000, 100), MPI_ERR_BUFFER, "overlaps");
    CHECK(MPIX_Am_win_buffer_attach(win, memory + 1024, 100) == MPI_SUCCESS);
    CHECK_ERROR(MPIX_Am_win_buffer_detach(win, memory + 8), MPI_ERR_BUFFER, "no buffer");
    CHECK_ERROR(MPIX_Am_win_buffer_detach(win, NULL), MPI_ERR_BUFFER, "no buffer");
    call c = right(job);
    CHECK(MPI_Win_lock_all(0, win) == MPI_SUCCESS);
    CHECK(start(&c) == MPI_SUCCESS);
    CHECK_ERROR(MPIX_Am_win_buffer_attach(win, memory + 2048, 100), MPI_ERR_RMA_SYNC,
                "active messages under way");
    CHECK_ERROR(MPIX_Am_win_buffer_detach(win, memory), MPI_ERR_RMA_SYNC, "under way");
    CHECK(MPI_Win_unlock_all(win) == MPI_SUCCESS);
    CHECK(MPIX_Am_win_buffer_detach(win, memory) == MPI_SUCCESS);
    CHECK_ERROR(MPIX_Am_win_buffer_detach(win, memory), MPI_ERR_BUFFER, "no buffer");
    for (int i = 1; i < MPIX_AM_WIN_BUFFERS_MAX; i++)
        CHECK(MPIX_Am_win_buffer_attach(win, memory + 1200 + i, 1) == MPI_SUCCESS);
    CHECK_ERROR(MPIX_Am_win_buffer_attach(win, memory, 1), MPI_ERR_BUFFER, "are attached");
}

static void epochs(mpix_job *job)
{
    call c = right(job);
    CHECK_ERROR(start(&c), MPI_ERR_RMA_SYNC, "no access epoch");
    c.to = 1;
    CHECK(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, job->win) == MPI_SUCCESS);
    CHECK_ERROR(start(&c), MPI_ERR_RMA_SYNC, "no access epoch");
    MPI_Win win = job->win;
    CHECK_ERROR(MPI_Win_free(&win), MPI_ERR_RMA_SYNC, "an epoch open");
    CHECK(MPI_Win_unlock(0, job->win) == MPI_SUCCESS);
}

static void registering(mpix_job *job)
{
    MPI_Op other, null = MPI_OP_NULL, sum = MPI_SUM;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    CHECK_ERROR(MPIX_Am_op_create(NULL, &other), MPI_ERR_ARG, "am_fn");
    CHECK_ERROR(MPIX_Am_op_free(&null), MPI_ERR_OP, "no operation of MPIX_Am_op_create");
    CHECK_ERROR(MPIX_Am_op_free(&sum), MPI_ERR_OP, "no operation of MPIX_Am_op_create");
    CHECK(MPIX_Am_op_create(mpix_job_add, &other) == MPI_SUCCESS);
    CHECK_ERROR(MPIX_Am_win_op_register(job->rank == 1 ? MPI_SUM : other, job->win), MPI_ERR_OP,
                job->rank == 1 ? "am_op is no operation" : "rank 1: am_op is no operation");
    CHECK_ERROR(MPIX_Am_win_op_register(job->rank == 1 ? job->op : other, job->win), MPI_ERR_OP,
                "register different operations");
    CHECK(MPIX_Am_win_op_register(other, job->win) == MPI_SUCCESS);
    CHECK(MPIX_Am_win_op_register(other, job->win) == MPI_SUCCESS);
    MPI_Op freed = other;
    CHECK(MPIX_Am_op_free(&other) == MPI_SUCCESS);
    call c = right(job);
    c.op = freed;
    CHECK_ERROR(start(&c), MPI_ERR_OP, "am_op: it is not registered");
}

static void windows(mpix_job *job)
{
    static int64_t memory[512];
    MPI_Win dynamic, plain, bad = MPI_WIN_NULL;
    MPI_Info info;
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &dynamic);
    MPI_Win_set_errhandler(dynamic, MPI_ERRORS_RETURN);
    CHECK_ERROR(MPIX_Am_win_op_register(job->op, dynamic), MPI_ERR_WIN,
                "MPI_Win_create_dynamic");
    MPI_Win_free(&dynamic);
    MPI_Win_create(memory, sizeof memory, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &plain);
    MPI_Win_set_errhandler(plain, MPI_ERRORS_RETURN);
    REFUSES(c.win = plain, MPI_ERR_WIN, "no operation is registered");
    CHECK_ERROR(MPIX_Am_win_buffer_attach(plain, memory, 8), MPI_ERR_WIN, "no operation");
    MPI_Win_free(&plain);
    const char *values[] = {"sameop,", "all", "none,sameop", "sameop diffop", ""};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        MPI_Info_create(&info);
        if (MPI_Info_set(info, "am_ordering", values[i]) == MPI_SUCCESS && *values[i] != '\0')
            CHECK_ERROR(MPI_Win_create(memory, sizeof memory, 8, info, MPI_COMM_WORLD, &bad),
                        MPI_ERR_INFO_VALUE, "am_ordering is");
        MPI_Info_free(&info);
    }
}

/* The failure of a handler is reported by the call that completes it, and is forgotten then. */
static void handlers(mpix_job *job)
{
    static const char *const names[3] = {"MPI_Win_flush", "MPIX_Am_op_create", "MPIX_Am"};
    MPI_Op op;
    call c = right(job);
    forbidden = job->win;
    CHECK(MPIX_Am_op_create(call_mpi, &op) == MPI_SUCCESS);
    CHECK(MPIX_Am_win_op_register(op, job->win) == MPI_SUCCESS);
    c.op = op;
    CHECK(MPI_Win_lock_all(0, job->win) == MPI_SUCCESS);
    for (int i = 0; i < 3; i++) {
        forbidden_call = i;
        MPI_Barrier(MPI_COMM_WORLD);
        c.to = (job->rank + i) % job->size;
        CHECK(start(&c) == MPI_SUCCESS);
        int code = MPI_Win_flush(c.to, job->win);
        CHECK_ERROR(code, MPI_ERR_OTHER, "handlers must not call MPI");
        CHECK_ERROR(code, MPI_ERR_OTHER, names[i]);
        CHECK(MPI_Win_flush(c.to, job->win) == MPI_SUCCESS);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    CHECK(start(&c) == MPI_SUCCESS);
    CHECK_ERROR(MPI_Win_unlock_all(job->win), MPI_ERR_OTHER, "must not call MPI");
    call fine = right(job);
    CHECK(MPI_Win_lock_all(0, job->win) == MPI_SUCCESS);
    CHECK(start(&fine) == MPI_SUCCESS);
    CHECK(MPI_Win_unlock_all(job->win) == MPI_SUCCESS);
    CHECK(MPIX_Am_op_free(&op) == MPI_SUCCESS);
}

/* A window that is freed without the last fence: its active messages run. */
static void outstanding(mpix_job *job)
{
    static int64_t memory[512];
    MPI_Win win;
    MPI_Win_create(memory, sizeof memory, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    CHECK(MPIX_Am_win_op_register(job->op, win) == MPI_SUCCESS);
    MPI_Win_fence(0, win);
    call c = right(job);
    c.win = win;
    c.out_count = 0;
    c.to = (job->rank + 1) % job->size;
    for (int i = 0; i < 500; i++)
        CHECK(start(&c) == MPI_SUCCESS);
    CHECK(MPI_Win_free(&win) == MPI_SUCCESS);
    CHECK(memory[0] == 500);
}

void mpix_suite_errors(mpix_job *job)
{
    mpix_job_open(job, NULL, 0, mpix_job_add);
    MPI_Win_set_errhandler(job->win, MPI_ERRORS_RETURN);
    epochs(job);
    CHECK(MPI_Win_lock_all(0, job->win) == MPI_SUCCESS);
    arguments(job);
    types(job);
    arrays(job);
    CHECK(MPI_Win_unlock_all(job->win) == MPI_SUCCESS);
    too_large(job);
    buffers(job);
    registering(job);
    windows(job);
    handlers(job);
    outstanding(job);
    MPI_Barrier(MPI_COMM_WORLD);
    mpix_job_close(job);
}

/* MPI's own error handler ends the job. */
void mpix_suite_fatal(mpix_job *job)
{
    mpix_job_open(job, NULL, 0, mpix_job_add);
    call c = right(job);
    (void)start(&c);
}
