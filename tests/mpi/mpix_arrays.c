/* Parts of arrays, by MPI_Type_create_subarray and MPI_Type_create_darray: random types, which
 * MPI_Pack and MPI_Unpack read and fill as well. */
#include "mpix_job.h"

#include <stdlib.h>
#include <string.h>

enum { DIMENSIONS_MAX = 3, ELEMENTS_MAX = 20000 };

static uint64_t state;

/* A number from low to high. */
static int draw(int low, int high)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return low + (int)((state >> 33) % (uint64_t)(high - low + 1));
}

static int draw_order(void)
{
    return draw(0, 1) ? MPI_ORDER_C : MPI_ORDER_FORTRAN;
}

static MPI_Datatype draw_subarray(MPI_Datatype old)
{
    const int dimensions = draw(1, DIMENSIONS_MAX);
    int sizes[DIMENSIONS_MAX], parts[DIMENSIONS_MAX], starts[DIMENSIONS_MAX];
    MPI_Datatype made;
    for (int i = 0; i < dimensions; i++) {
        sizes[i] = draw(1, 5);
        parts[i] = draw(1, sizes[i]);
        starts[i] = draw(0, sizes[i] - parts[i]);
    }
    CHECK(MPI_Type_create_subarray(dimensions, sizes, parts, starts, draw_order(), old,
                                   &made) == MPI_SUCCESS);
    return made;
}

static MPI_Datatype draw_darray(MPI_Datatype old)
{
    static const int all[3] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC,
                               MPI_DISTRIBUTE_NONE};
    const int dimensions = draw(1, DIMENSIONS_MAX);
    int sizes[DIMENSIONS_MAX], kinds[DIMENSIONS_MAX], blocks[DIMENSIONS_MAX],
        grid[DIMENSIONS_MAX], processes = 1;
    MPI_Datatype made;
    for (int i = 0; i < dimensions; i++) {
        sizes[i] = draw(1, 9);
        kinds[i] = all[draw(0, 2)];
        grid[i] = kinds[i] == MPI_DISTRIBUTE_NONE ? 1 : draw(1, 3);
        blocks[i] = MPI_DISTRIBUTE_DFLT_DARG;
        if (kinds[i] == MPI_DISTRIBUTE_BLOCK && draw(0, 1))
            blocks[i] = (sizes[i] + grid[i] - 1) / grid[i] + draw(0, 2);
        if (kinds[i] == MPI_DISTRIBUTE_CYCLIC && draw(0, 1))
            blocks[i] = draw(1, 3);
        processes *= grid[i];
    }
    CHECK(MPI_Type_create_darray(processes, draw(0, processes - 1), dimensions, sizes, kinds,
                                 blocks, grid, draw_order(), old, &made) == MPI_SUCCESS);
    return made;
}

/* An element: an int, ints with gaps, or a part of an array. */
static MPI_Datatype draw_element(int depth)
{
    MPI_Datatype old, made;
    const int kind = depth > 1 ? 0 : draw(0, 4);
    if (kind <= 1) {
        CHECK(MPI_Type_dup(MPI_INT, &made) == MPI_SUCCESS);
        return made;
    }
    old = draw_element(depth + 1);
    if (kind == 2)
        CHECK(MPI_Type_vector(draw(1, 3), draw(1, 2), draw(2, 3), old, &made) == MPI_SUCCESS);
    else
        made = kind == 3 ? draw_subarray(old) : draw_darray(old);
    MPI_Type_free(&old);
    return made;
}

/* --- one type ----------------------------------------------------------------------------- */

/* Random elements, the memory that they lie in, and their ints. */
typedef struct part {
    MPI_Datatype type;
    int count; /* of a segment */
    int segments;
    int ints; /* of a segment */
    int bytes;
    int *memory;
    int *packed;
    int *received;
} part;

static void echo(const void *in, int in_count, MPI_Datatype in_type, void *range,
                 int range_count, MPI_Datatype range_type, void *out, int out_count,
                 MPI_Datatype out_type, int segments, int first)
{
    (void)range, (void)range_count, (void)range_type, (void)first;
    if (in_count == out_count && in_type == MPI_INT && out_type == MPI_INT)
        memcpy(out, in, (size_t)segments * (size_t)in_count * sizeof(int));
}

static void fill(int *numbers, size_t bytes, int first)
{
    for (size_t i = 0; i < bytes / sizeof(int); i++)
        numbers[i] = first + (int)i;
}

/* Returns whether there are few enough elements. */
static int open_part(part *of, MPI_Datatype type)
{
    MPI_Aint lower, extent;
    int size;
    MPI_Type_size(type, &size);
    MPI_Type_get_extent(type, &lower, &extent);
    *of = (part){.type = type, .count = draw(1, 2), .segments = draw(1, 3)};
    const MPI_Aint bytes = extent * of->count * of->segments;
    of->ints = of->count * size / (int)sizeof(int);
    of->bytes = (int)bytes;
    if (lower != 0 || bytes > ELEMENTS_MAX * (MPI_Aint)sizeof(int))
        return 0;
    of->memory = malloc((size_t)bytes);
    of->packed = calloc(ELEMENTS_MAX, sizeof *of->packed);
    of->received = calloc(ELEMENTS_MAX, sizeof *of->received);
    return 1;
}

static void close_part(part *of)
{
    free(of->memory);
    free(of->packed);
    free(of->received);
}

static void start(const mpix_job *job, const void *in, int in_count, MPI_Datatype in_type,
                  void *out, int out_count, MPI_Datatype out_type, int segments)
{
    const int to = (job->rank + 1) % job->size;
    CHECK(MPIX_Am(in, in_count, in_type, out, out_count, out_type, segments, to, MPI_INT, 0, 0,
                  MPI_INT, MPI_INT, job->op, job->win) == MPI_SUCCESS);
    CHECK(MPI_Win_flush(to, job->win) == MPI_SUCCESS);
}

/* The ints that the target receives are those that MPI_Pack has. */
static void check_input(const mpix_job *job, const part *of)
{
    int used = 0;
    fill(of->memory, (size_t)of->bytes, 1);
    CHECK(MPI_Pack(of->memory, of->count * of->segments, of->type, of->packed,
                   ELEMENTS_MAX * (int)sizeof(int), &used, MPI_COMM_WORLD) == MPI_SUCCESS);
    CHECK(used == of->ints * of->segments * (int)sizeof(int));
    start(job, of->memory, of->count, of->type, of->received, of->ints, MPI_INT, of->segments);
    CHECK(memcmp(of->packed, of->received, ELEMENTS_MAX * sizeof(int)) == 0);
}

/* The memory that an output fills is that which MPI_Unpack fills, and no other. */
static void check_output(const mpix_job *job, const part *of)
{
    int used = 0;
    int *expected = malloc((size_t)of->bytes);
    fill(of->memory, (size_t)of->bytes, -1000000);
    fill(expected, (size_t)of->bytes, -1000000);
    fill(of->packed, ELEMENTS_MAX * sizeof(int), 1);
    if (of->ints > 0) /* MPICH 4.0 may divide by it */
        CHECK(MPI_Unpack(of->packed, ELEMENTS_MAX * (int)sizeof(int), &used, expected,
                         of->count * of->segments, of->type, MPI_COMM_WORLD) == MPI_SUCCESS);
    start(job, of->packed, of->ints, MPI_INT, of->memory, of->count, of->type, of->segments);
    CHECK(memcmp(of->memory, expected, (size_t)of->bytes) == 0);
    free(expected);
}

/* Returns whether it was sent. */
static int check_type(const mpix_job *job, int is_sub)
{
    part of;
    MPI_Datatype old = draw_element(0), type = is_sub ? draw_subarray(old) : draw_darray(old);
    CHECK(MPI_Type_commit(&type) == MPI_SUCCESS);
    MPI_Type_free(&old);
    const int is_fit = open_part(&of, type);
    if (is_fit) {
        check_input(job, &of);
        check_output(job, &of);
        close_part(&of);
    }
    MPI_Type_free(&type);
    return is_fit;
}

void mpix_suite_arrays(mpix_job *job)
{
    long sent[2] = {0, 0};
    mpix_job_open(job, NULL, 0, echo);
    CHECK(MPI_Win_lock_all(0, job->win) == MPI_SUCCESS);
    for (long i = 0; i < job->count; i++) {
        state = (uint64_t)(i * job->size + job->rank);
        sent[i % 2] += check_type(job, i % 2 == 0);
    }
    CHECK(MPI_Win_unlock_all(job->win) == MPI_SUCCESS);
    CHECK(sent[0] >= job->count / 4 && sent[1] >= job->count / 4);
    MPI_Barrier(MPI_COMM_WORLD);
    mpix_job_close(job);
}
