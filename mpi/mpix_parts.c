/* One function for each constructor of a datatype: it appends the blocks of the old type at the
 * offsets that the constructor was given. */
#include "mpix_parts.h"
#include "mpix_types.h"

#include <stdlib.h>
#include <string.h>

/* The results of MPI_Type_get_contents. */
typedef struct parts {
    int *numbers;
    MPI_Aint *addresses;
    MPI_Datatype *types;
    int counts[3]; /* of each */
    int combiner;
    int depth;
} parts;

/* The runs and the extent of one of the types. */
static const char *read_old(const parts *of, int index, tcm_runs *runs)
{
    MPI_Aint lower = 0, extent = 0;
    const char *text = tcm_parts_read(of->types[index], runs, of->depth + 1);
    if (text == NULL && PMPI_Type_get_extent(of->types[index], &lower, &extent) != MPI_SUCCESS)
        text = "MPI does not give the extent of a part";
    runs->extent = extent;
    return text;
}

/* Appends `count` blocks of `length` elements each, `stride` bytes apart. */
static const char *add_strided(tcm_runs *runs, const tcm_runs *old, int count, int length,
                               int64_t stride)
{
    tcm_runs block = {0};
    const char *text = tcm_runs_append(&block, old, length, old->extent, 0);
    if (text == NULL)
        text = tcm_runs_append(runs, &block, count, stride, 0);
    tcm_runs_fini(&block);
    return text;
}

static const char *read_strided(const parts *of, const tcm_runs *old, tcm_runs *runs)
{
    const int *n = of->numbers;
    switch (of->combiner) {
    case MPI_COMBINER_DUP:
    case MPI_COMBINER_RESIZED:
        return tcm_runs_append(runs, old, 1, old->extent, 0);
    case MPI_COMBINER_CONTIGUOUS:
        return tcm_runs_append(runs, old, n[0], old->extent, 0);
    case MPI_COMBINER_VECTOR:
        return add_strided(runs, old, n[0], n[1], n[2] * old->extent);
    default:
        return add_strided(runs, old, n[0], n[1], of->addresses[0]);
    }
}

/* The length and the offset of a block of an indexed type. */
static void read_block(const parts *of, int block, int64_t extent, int *length_out,
                       int64_t *at_out)
{
    const int *n = of->numbers, count = n[0];
    switch (of->combiner) {
    case MPI_COMBINER_INDEXED:
        *length_out = n[1 + block];
        *at_out = n[1 + count + block] * extent;
        break;
    case MPI_COMBINER_INDEXED_BLOCK:
        *length_out = n[1];
        *at_out = n[2 + block] * extent;
        break;
    case MPI_COMBINER_HINDEXED_BLOCK:
        *length_out = n[1];
        *at_out = of->addresses[block];
        break;
    default:
        *length_out = n[1 + block];
        *at_out = of->addresses[block];
    }
}

static const char *read_indexed(const parts *of, const tcm_runs *old, tcm_runs *runs)
{
    const char *text = NULL;
    for (int block = 0; text == NULL && block < of->numbers[0]; block++) {
        int length = 0;
        int64_t at = 0;
        read_block(of, block, old->extent, &length, &at);
        text = tcm_runs_append(runs, old, length, old->extent, at);
    }
    return text;
}

/* The part of MPI_Type_create_subarray along a dimension. */
static tcm_axis subarray_axis(const int *n, int dimension)
{
    const int *sizes = n + 1, *counts = sizes + n[0], *starts = counts + n[0];
    const int64_t size = sizes[dimension], part = counts[dimension], first = starts[dimension];
    return (tcm_axis){size, first, part, part, first + part};
}

/* The same of MPI_Type_create_darray: its blocks go to the dimension's processes by turns.
 * Processes are numbered with the last dimension fastest, in either order of the array. */
static tcm_axis darray_axis(const int *n, int dimension)
{
    const int dimensions = n[2];
    const int *sizes = n + 3, *kinds = sizes + dimensions, *blocks = kinds + dimensions,
              *grid = blocks + dimensions;
    int64_t size = sizes[dimension], block = blocks[dimension], rank = n[1], position = 0;
    if (kinds[dimension] == MPI_DISTRIBUTE_NONE)
        return (tcm_axis){size, 0, size, size, size};
    for (int i = dimensions - 1; i >= dimension; i--) {
        if (grid[i] < 1)
            return (tcm_axis){0, 0, 0, 0, 0};
        position = rank % grid[i];
        rank /= grid[i];
    }
    if (block == MPI_DISTRIBUTE_DFLT_DARG)
        block = kinds[dimension] == MPI_DISTRIBUTE_CYCLIC
                    ? 1
                    : (size + grid[dimension] - 1) / grid[dimension];
    return (tcm_axis){size, position * block, block, grid[dimension] * block, size};
}

static const char *read_array(const parts *of, const tcm_runs *old, tcm_runs *runs)
{
    const int *n = of->numbers;
    const int is_sub = of->combiner == MPI_COMBINER_SUBARRAY;
    const int dimensions = is_sub ? n[0] : n[2], order = n[of->counts[0] - 1];
    const char *text = tcm_runs_append(runs, old, 1, old->extent, 0);
    runs->extent = old->extent;
    for (int i = 0; text == NULL && i < dimensions; i++) {
        const int dimension = order == MPI_ORDER_C ? dimensions - 1 - i : i;
        const tcm_axis axis = is_sub ? subarray_axis(n, dimension) : darray_axis(n, dimension);
        tcm_runs wider = {0};
        text = tcm_runs_append_axis(&wider, runs, &axis);
        tcm_runs_fini(runs);
        *runs = wider;
    }
    runs->has_darray |= !is_sub;
    return text;
}

static const char *read_struct(const parts *of, tcm_runs *runs)
{
    const char *text = NULL;
    for (int block = 0; text == NULL && block < of->numbers[0]; block++) {
        tcm_runs old = {0};
        text = read_old(of, block, &old);
        if (text == NULL)
            text = tcm_runs_append(runs, &old, of->numbers[1 + block], old.extent,
                                   of->addresses[block]);
        tcm_runs_fini(&old);
    }
    return text;
}

static const char *read_parts(const parts *of, tcm_runs *runs)
{
    const char *(*read)(const parts *of, const tcm_runs *old, tcm_runs *runs) = NULL;
    switch (of->combiner) {
    case MPI_COMBINER_STRUCT:
        return read_struct(of, runs);
    case MPI_COMBINER_DUP:
    case MPI_COMBINER_RESIZED:
    case MPI_COMBINER_CONTIGUOUS:
    case MPI_COMBINER_VECTOR:
    case MPI_COMBINER_HVECTOR:
        read = read_strided;
        break;
    case MPI_COMBINER_INDEXED:
    case MPI_COMBINER_HINDEXED:
    case MPI_COMBINER_INDEXED_BLOCK:
    case MPI_COMBINER_HINDEXED_BLOCK:
        read = read_indexed;
        break;
    case MPI_COMBINER_SUBARRAY:
    case MPI_COMBINER_DARRAY:
        read = read_array;
        break;
    default: /* Fortran's have no part */
        return "it is made by a constructor that active messages do not know";
    }
    tcm_runs old = {0};
    const char *text = read_old(of, 0, &old);
    if (text == NULL)
        text = read(of, &old, runs);
    tcm_runs_fini(&old);
    return text;
}

/* Handles that MPI_Type_get_contents made are this caller's. */
static void release(parts *of)
{
    for (int i = 0; of->types != NULL && i < of->counts[2]; i++) {
        int numbers, addresses, types, combiner = MPI_COMBINER_NAMED;
        if (of->types[i] != MPI_DATATYPE_NULL)
            PMPI_Type_get_envelope(of->types[i], &numbers, &addresses, &types, &combiner);
        if (combiner != MPI_COMBINER_NAMED)
            PMPI_Type_free(&of->types[i]);
    }
    free(of->numbers);
    free(of->addresses);
    free(of->types);
}

static const char *open_parts(MPI_Datatype handle, parts *of)
{
    of->numbers = calloc((size_t)of->counts[0] + 1, sizeof *of->numbers);
    of->addresses = calloc((size_t)of->counts[1] + 1, sizeof *of->addresses);
    of->types = malloc(((size_t)of->counts[2] + 1) * sizeof *of->types);
    for (int i = 0; of->types != NULL && i < of->counts[2]; i++)
        of->types[i] = MPI_DATATYPE_NULL;
    if (of->numbers == NULL || of->addresses == NULL || of->types == NULL)
        return "memory is missing";
    if (PMPI_Type_get_contents(handle, of->counts[0], of->counts[1], of->counts[2], of->numbers,
                               of->addresses, of->types) != MPI_SUCCESS)
        return "MPI does not give its parts";
    return NULL;
}

static const char *read_named(MPI_Datatype handle, tcm_runs *runs)
{
    const tcm_type *type = tcm_types_predefined(handle);
    if (type == NULL)
        return "it is, or has, a predefined type that is none of C's (MPI_LB, MPI_UB, "
               "Fortran's)";
    return tcm_runs_append(runs, &type->runs, 1, type->runs.extent, 0);
}

const char *tcm_parts_read(MPI_Datatype handle, tcm_runs *runs, int depth)
{
    parts of = {NULL, NULL, NULL, {0, 0, 0}, 0, depth};
    if (depth > TCM_PARTS_DEPTH_MAX)
        return "it has more than 32 types within one another";
    if (PMPI_Type_get_envelope(handle, &of.counts[0], &of.counts[1], &of.counts[2],
                               &of.combiner) != MPI_SUCCESS)
        return "MPI does not give its envelope";
    if (of.combiner == MPI_COMBINER_NAMED)
        return read_named(handle, runs);
    const char *text = open_parts(handle, &of);
    if (text == NULL)
        text = read_parts(&of, runs);
    release(&of);
    return text;
}
