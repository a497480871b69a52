/* Reading a datatype.
 *
 * A predefined type has a row in a table; its number there travels. The rows are found
 * by the handle in a small hash table, made once. A derived type is taken apart by its
 * envelope, down to predefined types, and its runs become an attribute of its handle, which MPI
 * frees with it. MPI's own size and true extent are compared with those of the runs, so a
 * constructor that is misread is refused, and does not move the wrong bytes. */
#include "mpix_types.h"
#include "mpix_parts.h"
#include "mpix_wire.h"

#include <complex.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

typedef struct predefined {
    MPI_Datatype handle;
    uint32_t bytes;  /* of its first element */
    uint32_t second; /* of a pair: bytes and number of the second one, an int */
    uint32_t first;  /* of a pair: the number of the first one */
} predefined;

enum { INT_NUMBER = 7, LONG_NUMBER = 9, SHORT_NUMBER = 5, FLOAT_NUMBER = 13 };

/* Numbers travel: rows are only appended. */
static const predefined table[] = {
    {MPI_BYTE, 1, 0, 0},
    {MPI_CHAR, 1, 0, 0},
    {MPI_SIGNED_CHAR, 1, 0, 0},
    {MPI_UNSIGNED_CHAR, 1, 0, 0},
    {MPI_WCHAR, sizeof(wchar_t), 0, 0},
    {MPI_SHORT, sizeof(short), 0, 0},
    {MPI_UNSIGNED_SHORT, sizeof(short), 0, 0},
    {MPI_INT, sizeof(int), 0, 0},
    {MPI_UNSIGNED, sizeof(int), 0, 0},
    {MPI_LONG, sizeof(long), 0, 0},
    {MPI_UNSIGNED_LONG, sizeof(long), 0, 0},
    {MPI_LONG_LONG, sizeof(long long), 0, 0},
    {MPI_UNSIGNED_LONG_LONG, sizeof(long long), 0, 0},
    {MPI_FLOAT, sizeof(float), 0, 0},
    {MPI_DOUBLE, sizeof(double), 0, 0},
    {MPI_LONG_DOUBLE, sizeof(long double), 0, 0},
    {MPI_INT8_T, 1, 0, 0},
    {MPI_INT16_T, 2, 0, 0},
    {MPI_INT32_T, 4, 0, 0},
    {MPI_INT64_T, 8, 0, 0},
    {MPI_UINT8_T, 1, 0, 0},
    {MPI_UINT16_T, 2, 0, 0},
    {MPI_UINT32_T, 4, 0, 0},
    {MPI_UINT64_T, 8, 0, 0},
    {MPI_C_BOOL, sizeof(bool), 0, 0},
    {MPI_C_FLOAT_COMPLEX, sizeof(float _Complex), 0, 0},
    {MPI_C_DOUBLE_COMPLEX, sizeof(double _Complex), 0, 0},
    {MPI_C_LONG_DOUBLE_COMPLEX, sizeof(long double _Complex), 0, 0},
    {MPI_AINT, sizeof(MPI_Aint), 0, 0},
    {MPI_OFFSET, sizeof(MPI_Offset), 0, 0},
    {MPI_COUNT, sizeof(MPI_Count), 0, 0},
    {MPI_2INT, sizeof(int), sizeof(int), INT_NUMBER},
    {MPI_SHORT_INT, sizeof(short), sizeof(int), SHORT_NUMBER},
    {MPI_LONG_INT, sizeof(long), sizeof(int), LONG_NUMBER},
    {MPI_FLOAT_INT, sizeof(float), sizeof(int), FLOAT_NUMBER},
    {MPI_DOUBLE_INT, sizeof(double), sizeof(int), FLOAT_NUMBER + 1},
    {MPI_LONG_DOUBLE_INT, sizeof(long double), sizeof(int), FLOAT_NUMBER + 2},
};

#define ROWS (sizeof table / sizeof *table)
#define SLOTS 128u

static tcm_type rows[ROWS];
static uint8_t slots[SLOTS]; /* a row's number and 1; 0: free */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int keyval = MPI_KEYVAL_INVALID;
static const char *trouble; /* why no type can be used */

/* --- predefined types --------------------------------------------------------------------- */

static unsigned slot_of(MPI_Datatype handle)
{
    uint64_t bits = 0;
    memcpy(&bits, &handle, sizeof handle);
    return (unsigned)((bits * 0x9e3779b97f4a7c15u) >> 57);
}

static const char *fill_row(uint32_t number)
{
    const predefined *row = &table[number];
    tcm_type *type = &rows[number];
    MPI_Aint lower = 0, extent = 0;
    type->number = number;
    if (row->handle == MPI_DATATYPE_NULL)
        return NULL;
    if (PMPI_Type_get_extent(row->handle, &lower, &extent) != MPI_SUCCESS)
        return "MPI does not give the extent of a predefined type";
    const char *text = tcm_runs_push(
        &type->runs, (tcm_run){0, 1, row->second ? row->first : number, row->bytes});
    if (text == NULL && row->second != 0) /* behind the first, as in a struct */
        text = tcm_runs_push(&type->runs,
                             (tcm_run){row->bytes > row->second ? row->bytes : row->second, 1,
                                       INT_NUMBER, row->second});
    if (text == NULL)
        text = tcm_runs_close(&type->runs, extent);
    for (unsigned at = slot_of(row->handle);; at = (at + 1) % SLOTS) {
        if (slots[at] == 0) {
            slots[at] = (uint8_t)(number + 1);
            return text;
        }
    }
}

static int free_runs(MPI_Datatype handle, int key, void *value, void *extra)
{
    tcm_type *type = value;
    (void)handle, (void)key, (void)extra;
    tcm_runs_fini(&type->runs);
    free(type);
    return MPI_SUCCESS;
}

static void init(void)
{
    for (uint32_t number = 0; trouble == NULL && number < ROWS; number++)
        trouble = fill_row(number);
    if (PMPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, free_runs, &keyval, NULL) != MPI_SUCCESS)
        trouble = "MPI has no attribute for datatypes left";
}

void tcm_types_fini(void)
{
    if (keyval != MPI_KEYVAL_INVALID)
        PMPI_Type_free_keyval(&keyval);
    for (uint32_t number = 0; number < ROWS; number++)
        tcm_runs_fini(&rows[number].runs);
    trouble = "MPI has been finalized";
}

const tcm_type *tcm_types_predefined(MPI_Datatype handle)
{
    for (unsigned at = slot_of(handle); slots[at] != 0; at = (at + 1) % SLOTS) {
        if (table[slots[at] - 1].handle == handle)
            return &rows[slots[at] - 1];
    }
    return NULL;
}

const tcm_type *tcm_types_number(uint32_t number, MPI_Datatype *handle_out)
{
    pthread_once(&once, init);
    if (number >= ROWS || table[number].handle == MPI_DATATYPE_NULL)
        return NULL;
    *handle_out = table[number].handle;
    return &rows[number];
}

/* --- derived types ------------------------------------------------------------------------ */

/* Compares the runs with MPI's size and true extent of the type. MPICH begins a few
 * distributed arrays below their first element. */
static const char *compare(MPI_Datatype handle, const tcm_runs *runs)
{
    MPI_Aint lower = 0, extent = 0;
    int size = 0;
    if (PMPI_Type_size(handle, &size) != MPI_SUCCESS || size == MPI_UNDEFINED ||
        PMPI_Type_get_true_extent(handle, &lower, &extent) != MPI_SUCCESS)
        return "MPI does not give its size";
    const int is_near = lower == runs->begin || (runs->has_darray && lower < runs->begin);
    if ((uint64_t)size != runs->size || (size > 0 && (!is_near || lower + extent != runs->end)))
        return "its parts and its size do not agree";
    return NULL;
}

static const char *read_derived(MPI_Datatype handle, tcm_runs *runs)
{
    MPI_Aint lower = 0, extent = 0;
    if (PMPI_Type_get_extent(handle, &lower, &extent) != MPI_SUCCESS)
        return "MPI does not give its extent";
    const char *text = tcm_parts_read(handle, runs, 0);
    if (text == NULL)
        text = tcm_runs_close(runs, extent);
    return text != NULL ? text : compare(handle, runs);
}

static const tcm_type *keep(MPI_Datatype handle, const char **text_out)
{
    tcm_type *type = calloc(1, sizeof *type);
    *text_out = "memory is missing";
    if (type == NULL)
        return NULL;
    type->number = TCM_WIRE_DERIVED;
    *text_out = read_derived(handle, &type->runs);
    if (*text_out == NULL) {
        if (PMPI_Type_set_attr(handle, keyval, type) == MPI_SUCCESS)
            return type;
        *text_out = "MPI keeps no attribute of it";
    }
    tcm_runs_fini(&type->runs);
    free(type);
    return NULL;
}

const tcm_type *tcm_types_find(MPI_Datatype handle, const char **text_out)
{
    void *kept = NULL;
    int found = 0;
    pthread_once(&once, init);
    *text_out = trouble;
    if (trouble != NULL)
        return NULL;
    const tcm_type *type = tcm_types_predefined(handle);
    if (type != NULL)
        return type;
    *text_out = "it is MPI_DATATYPE_NULL";
    if (handle == MPI_DATATYPE_NULL)
        return NULL;
    *text_out = "MPI does not know it";
    if (PMPI_Type_get_attr(handle, keyval, &kept, &found) != MPI_SUCCESS)
        return NULL;
    return found ? kept : keep(handle, text_out);
}

/* --- building ----------------------------------------------------------------------------- */

static int create(int count, const int *lengths, const MPI_Aint *offsets,
                  const MPI_Datatype *basics, MPI_Aint extent, MPI_Datatype *handle_out)
{
    MPI_Datatype pieces = MPI_DATATYPE_NULL;
    int code = PMPI_Type_create_struct(count, lengths, offsets, basics, &pieces);
    if (code == MPI_SUCCESS) {
        code = PMPI_Type_create_resized(pieces, 0, extent, handle_out);
        PMPI_Type_free(&pieces);
    }
    return code == MPI_SUCCESS ? PMPI_Type_commit(handle_out) : code;
}

const char *tcm_types_build(const tcm_run *runs, uint32_t count, int64_t extent,
                            MPI_Datatype *handle_out)
{
    int lengths[TCM_WIRE_RUNS_MAX];
    MPI_Aint offsets[TCM_WIRE_RUNS_MAX];
    MPI_Datatype basics[TCM_WIRE_RUNS_MAX];
    if (count > TCM_WIRE_RUNS_MAX)
        return "a type has too many pieces";
    for (uint32_t i = 0; i < count; i++) {
        const tcm_type *basic = tcm_types_number(runs[i].basic, &basics[i]);
        if (basic == NULL || basic->runs.size != runs[i].bytes)
            return "a basic type has another size here, or is unknown";
        lengths[i] = (int)runs[i].count;
        offsets[i] = (MPI_Aint)runs[i].offset;
    }
    return create((int)count, lengths, offsets, basics, (MPI_Aint)extent, handle_out) ==
                   MPI_SUCCESS
               ? NULL
               : "MPI cannot build a type";
}
