/* Datatypes of MPI as runs of basic elements, read once and kept. */
#ifndef TCM_MPIX_TYPES_H
#define TCM_MPIX_TYPES_H

#include "mpix_runs.h"

#include <mpi.h>

typedef struct tcm_type {
    tcm_runs runs;
    uint32_t number; /* of a predefined type, or TCM_WIRE_DERIVED */
} tcm_type;

/* Returns the type of a handle, which stays until the handle is freed, or NULL and a text. */
const tcm_type *tcm_types_find(MPI_Datatype handle, const char **text_out);

/* The type of a predefined handle, after tcm_types_find; or NULL. */
const tcm_type *tcm_types_predefined(MPI_Datatype handle);

/* The predefined type of a number, or NULL. */
const tcm_type *tcm_types_number(uint32_t number, MPI_Datatype *handle_out);

/* Makes and commits a type of runs and an extent. Returns NULL or a text. */
const char *tcm_types_build(const tcm_run *runs, uint32_t count, int64_t extent,
                            MPI_Datatype *handle_out);

/* Frees the table of predefined types and the attribute; when no type will be looked up any
 * more. */
void tcm_types_fini(void);

#endif
