/* Datatypes at the origin, and N at the target; derived types at the target where MPI has all
 * threads. */
#include "mpix_job.h"

#include <stdlib.h>
#include <string.h>

/* Ints in reverse, each with the range's first int added. */
static void reverse(const void *in, int in_count, MPI_Datatype in_type, void *range,
                    int range_count, MPI_Datatype range_type, void *out, int out_count,
                    MPI_Datatype out_type, int segments, int first)
{
    const int *from = in;
    int *to = out;
    (void)first;
    if (in_count != out_count || in_type != MPI_INT || out_type != MPI_INT ||
        range_count != 1 || range_type != MPI_INT)
        return;
    for (int s = 0; s < segments; s++) {
        for (int i = 0; i < in_count; i++)
            to[s * in_count + i] = from[s * in_count + in_count - 1 - i] + *(int *)range;
    }
}

/* One pair of MPI_DOUBLE_INT: keeps the largest, as MPI_MAXLOC. */
typedef struct pair {
    double value;
    int at;
} pair;

static void keep_largest(const void *in, int in_count, MPI_Datatype in_type, void *range,
                         int range_count, MPI_Datatype range_type, void *out, int out_count,
                         MPI_Datatype out_type, int segments, int first)
{
    const pair *from = in;
    pair *largest = range, *to = out;
    (void)in_count, (void)range_count, (void)out_count, (void)out_type, (void)first;
    if (in_type != MPI_DOUBLE_INT || range_type != MPI_DOUBLE_INT)
        return;
    for (int s = 0; s < segments; s++) {
        if (from[s].value > largest->value)
            *largest = from[s];
        to[s] = *largest;
    }
}

static void send_ints(const mpix_job *job, const void *in, int in_count, MPI_Datatype in_type,
                      void *out, int out_count, MPI_Datatype out_type, int segments)
{
    int to = (job->rank + 1) % job->size;
    CHECK(MPI_Win_lock(MPI_LOCK_SHARED, to, 0, job->win) == MPI_SUCCESS);
    CHECK(MPIX_Am(in, in_count, in_type, out, out_count, out_type, segments, to, MPI_INT, 0, 1,
                  MPI_INT, MPI_INT, job->op, job->win) == MPI_SUCCESS);
    CHECK(MPI_Win_unlock(to, job->win) == MPI_SUCCESS);
}

#define ROWS 8
#define COLUMNS 6

static void fill(int matrix[ROWS][COLUMNS])
{
    for (int i = 0; i < ROWS * COLUMNS; i++)
        ((int *)matrix)[i] = 100 + i;
}

/* A segment is a column; the next one begins an int behind. The output goes to columns. */
static void columns(const mpix_job *job)
{
    int from[ROWS][COLUMNS], to[ROWS][COLUMNS];
    MPI_Datatype vector, column;
    MPI_Type_vector(ROWS, 1, COLUMNS, MPI_INT, &vector);
    MPI_Type_create_resized(vector, 0, sizeof(int), &column);
    MPI_Type_commit(&column);
    fill(from);
    memset(to, 0, sizeof to);
    send_ints(job, from, 1, column, to, 1, column, COLUMNS);
    for (int r = 0; r < ROWS; r++) {
        for (int c = 0; c < COLUMNS; c++)
            CHECK(to[r][c] == from[ROWS - 1 - r][c] + 7);
    }
    MPI_Type_free(&vector);
    MPI_Type_free(&column);
}

/* Two elements of a vector a segment: N is 12. The output is contiguous. */
static void vectors(const mpix_job *job)
{
    int from[3][2][3][4], to[3][12];
    MPI_Datatype vector, spaced, copy;
    MPI_Type_vector(3, 2, 4, MPI_INT, &vector);
    MPI_Type_create_resized(vector, 0, 12 * sizeof(int), &spaced);
    MPI_Type_dup(spaced, &copy);
    MPI_Type_commit(&copy);
    for (int i = 0; i < 72; i++)
        ((int *)from)[i] = i;
    send_ints(job, from, 2, copy, to, 12, MPI_INT, 3);
    for (int s = 0; s < 3; s++) {
        for (int i = 0; i < 12; i++) {
            int j = 11 - i;
            CHECK(to[s][i] == from[s][j / 6][j % 6 / 2][j % 2] + 7);
        }
    }
    MPI_Type_free(&vector);
    MPI_Type_free(&spaced);
    MPI_Type_free(&copy);
}

/* Blocks by numbers, by addresses and within a struct. */
static void indexed(const mpix_job *job)
{
    const int lengths[3] = {1, 2, 1}, offsets[3] = {5, 0, 3};
    const MPI_Aint addresses[2] = {8, 32};
    int from[16], to[16], expected[4] = {3, 1, 0, 5};
    MPI_Datatype index, hindex, types[2] = {MPI_INT, MPI_INT}, both;
    for (int i = 0; i < 16; i++)
        from[i] = i, to[i] = -1;
    MPI_Type_indexed(3, lengths, offsets, MPI_INT, &index);
    MPI_Type_commit(&index);
    MPI_Type_create_hindexed_block(2, 2, addresses, MPI_INT, &hindex);
    MPI_Type_commit(&hindex);
    send_ints(job, from, 1, index, to, 1, hindex, 1);
    CHECK(to[2] == expected[0] + 7 && to[3] == expected[1] + 7);
    CHECK(to[8] == expected[2] + 7 && to[9] == expected[3] + 7 && to[0] == -1 && to[4] == -1);
    const int two[2] = {3, 1};
    const MPI_Aint at[2] = {16, 0};
    MPI_Type_create_struct(2, two, at, types, &both);
    MPI_Type_commit(&both);
    send_ints(job, from, 1, both, to, 4, MPI_INT, 1);
    CHECK(to[0] == 7 && to[1] == 6 + 7 && to[2] == 5 + 7 && to[3] == 4 + 7);
    MPI_Type_free(&index);
    MPI_Type_free(&hindex);
    MPI_Type_free(&both);
}

/* An input may have its elements twice. */
static void twice(const mpix_job *job)
{
    int from[4] = {10, 20, 30, 40}, to[6], expected[6] = {40, 30, 30, 20, 20, 10};
    MPI_Datatype vector;
    MPI_Type_create_hvector(3, 2, sizeof(int), MPI_INT, &vector);
    MPI_Type_commit(&vector);
    send_ints(job, from, 1, vector, to, 6, MPI_INT, 1);
    for (int i = 0; i < 6; i++)
        CHECK(to[i] == expected[i] + 7);
    MPI_Type_free(&vector);
}

/* Many segments of many bytes, with gaps: several units. */
static void large(const mpix_job *job)
{
    static int from[200][300], to[200][100];
    MPI_Datatype vector, spaced;
    MPI_Type_vector(100, 1, 3, MPI_INT, &vector);
    MPI_Type_create_resized(vector, 0, 300 * sizeof(int), &spaced);
    MPI_Type_commit(&spaced);
    for (int i = 0; i < 200 * 300; i++)
        ((int *)from)[i] = i;
    send_ints(job, from, 1, spaced, to, 100, MPI_INT, 200);
    for (int s = 0; s < 200; s++) {
        for (int i = 0; i < 100; i++)
            CHECK(to[s][i] == from[s][3 * (99 - i)] + 7);
    }
    MPI_Type_free(&vector);
    MPI_Type_free(&spaced);
}

/* Segments that no unit carries, through attached memory; its address is odd. */
static void staged(const mpix_job *job)
{
    enum { INTS = 100000, SEGMENTS = 3 };
    int *from = malloc(SEGMENTS * INTS * sizeof *from),
        *to = malloc(SEGMENTS * INTS * sizeof *to);
    char *memory = malloc(1000001);
    for (int i = 0; i < SEGMENTS * INTS; i++)
        from[i] = i;
    CHECK(MPIX_Am_win_buffer_attach(job->win, memory + 1, 1000000) == MPI_SUCCESS);
    MPI_Barrier(MPI_COMM_WORLD);
    send_ints(job, from, INTS, MPI_INT, to, INTS, MPI_INT, SEGMENTS);
    for (int i = 0; i < SEGMENTS * INTS; i++)
        CHECK(to[i] == i / INTS * INTS + INTS - 1 - i % INTS + 7);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(MPIX_Am_win_buffer_detach(job->win, memory + 1) == MPI_SUCCESS);
    free(from);
    free(to);
    free(memory);
}

static void pairs(const mpix_job *job)
{
    pair in[2] = {{2.5, job->rank}, {1.5, job->rank}}, out[2] = {{0, 0}, {0, 0}};
    MPI_Op op;
    int to = (job->rank + 1) % job->size;
    CHECK(MPIX_Am_op_create(keep_largest, &op) == MPI_SUCCESS);
    CHECK(MPIX_Am_win_op_register(op, job->win) == MPI_SUCCESS);
    CHECK(MPI_Win_fence(0, job->win) == MPI_SUCCESS);
    CHECK(MPIX_Am(in, 1, MPI_DOUBLE_INT, out, 1, MPI_DOUBLE_INT, 2, to, MPI_DOUBLE_INT, 8, 1,
                  MPI_DOUBLE_INT, MPI_DOUBLE_INT, op, job->win) == MPI_SUCCESS);
    CHECK(MPI_Win_fence(MPI_MODE_NOSUCCEED, job->win) == MPI_SUCCESS);
    for (int i = 0; i < 2; i++)
        CHECK(out[i].value > 2.4 && out[i].value < 2.6 && out[i].at == job->rank);
    CHECK(MPIX_Am_op_free(&op) == MPI_SUCCESS);
}

void mpix_suite_types(mpix_job *job)
{
    mpix_job_open(job, NULL, 0, reverse);
    *(int *)job->memory = 7;
    MPI_Barrier(MPI_COMM_WORLD);
    columns(job);
    vectors(job);
    indexed(job);
    twice(job);
    large(job);
    staged(job);
    pairs(job);
    MPI_Barrier(MPI_COMM_WORLD);
    mpix_job_close(job);
}

/* --- derived types at the target ---------------------------------------------------------- */

static MPI_Datatype received;

/* Two ints of a segment are 8 bytes apart; the range is every second of its ints. */
static void add_sparse(const void *in, int in_count, MPI_Datatype in_type, void *range,
                       int range_count, MPI_Datatype range_type, void *out, int out_count,
                       MPI_Datatype out_type, int segments, int first)
{
    const int *from = in;
    int *numbers = range, *to = out;
    (void)range_type, (void)out_type, (void)first;
    received = in_type;
    if (in_count != 1 || range_count != 2 || out_count != 2)
        return;
    for (int s = 0; s < segments; s++) {
        for (int i = 0; i < 2; i++) {
            numbers[2 * i] += from[4 * s + 2 * i];
            to[2 * s + i] = numbers[2 * i];
        }
    }
}

static void send_sparse(const mpix_job *job, MPI_Datatype sparse, MPI_Datatype spaced)
{
    const int in[6] = {1, 2, 3, 4, 5, 6}, expected[6] = {1, 2, 4, 6, 9, 12};
    int out[6] = {0};
    int to = (job->rank + 1) % job->size;
    for (int round = 1; round <= 50; round++) {
        CHECK(MPI_Win_fence(0, job->win) == MPI_SUCCESS);
        CHECK(MPIX_Am(in, 2, MPI_INT, out, 2, MPI_INT, 3, to, sparse, 1, 2, spaced, MPI_INT,
                      job->op, job->win) == MPI_SUCCESS);
        CHECK(MPI_Win_fence(MPI_MODE_NOSUCCEED, job->win) == MPI_SUCCESS);
        for (int i = 0; i < 6; i++)
            CHECK(out[i] == (round - 1) * expected[4 + i % 2] + expected[i]);
    }
}

void mpix_suite_derived(mpix_job *job)
{
    const int two = 2, one = 1, zero = 0;
    MPI_Datatype vector, sparse, spaced;
    MPI_Aint lower, extent;
    int size;
    MPI_Type_vector(2, 1, 2, MPI_INT, &vector);
    MPI_Type_create_resized(vector, 0, 4 * sizeof(int), &sparse);
    MPI_Type_create_subarray(1, &two, &one, &zero, MPI_ORDER_C, MPI_INT, &spaced);
    MPI_Type_commit(&sparse);
    MPI_Type_commit(&spaced);
    mpix_job_open(job, NULL, 0, add_sparse);
    send_sparse(job, sparse, spaced);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Type_size(received, &size);
    MPI_Type_get_extent(received, &lower, &extent);
    CHECK(size == 2 * (int)sizeof(int) && lower == 0 && extent == 4 * (int)sizeof(int));
    const int *numbers = (const int *)&job->memory[1];
    CHECK(numbers[0] == 50 * 9 && numbers[2] == 50 * 12 && numbers[1] == 0);
    MPI_Barrier(MPI_COMM_WORLD);
    mpix_job_close(job);
    MPI_Type_free(&vector);
    MPI_Type_free(&sparse);
    MPI_Type_free(&spaced);
}
