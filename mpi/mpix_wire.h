/* The description that travels with an active message: the handler's counts and types. Bytes of
 * the sender's own byte order; both ends have one build of the library. Without MPI. */
#ifndef TCM_MPIX_WIRE_H
#define TCM_MPIX_WIRE_H

#include "mpix_runs.h"

#define TCM_WIRE_DERIVED 0xffffffffu /* a type that is not predefined */
#define TCM_WIRE_RUNS_MAX 36u        /* of all types of a message together */

enum { TCM_INPUT, TCM_PERSISTENT, TCM_OUTPUT, TCM_BUFFERS };

/* The use of one buffer at the target. */
typedef struct tcm_wire_buffer {
    uint64_t shift;  /* of its lowest byte, as in tcm_segment */
    int64_t extent;  /* of the type */
    uint32_t count;  /* of one segment */
    uint32_t number; /* of a predefined type, or TCM_WIRE_DERIVED */
    uint32_t size;   /* bytes of data in one element of it */
    uint32_t runs;   /* of a derived type; 0 otherwise */
} tcm_wire_buffer;

typedef struct tcm_wire {
    uint32_t magic;
    uint32_t op;    /* number of the operation in its runtime */
    uint64_t group; /* id of the runtime's group */
    tcm_wire_buffer buffers[TCM_BUFFERS];
} tcm_wire;

typedef struct tcm_wire_message {
    tcm_wire fixed;                  /* tcm_wire_encode sets its magic */
    tcm_run runs[TCM_WIRE_RUNS_MAX]; /* of the derived types, in their order */
} tcm_wire_message;

_Static_assert(sizeof(tcm_wire_message) <= TC_AM_DESCRIPTION_MAX, "it is a description");

/* Adds the runs of a derived type to a buffer's description; buffers in their order. `used`
 * counts those of the buffers before. Returns a text if there are too many. */
const char *tcm_wire_add(tcm_wire_message *message, uint32_t *used, unsigned buffer,
                         const tcm_runs *type);

/* Completes a message of `used` runs. Returns its bytes. */
size_t tcm_wire_finish(tcm_wire_message *message, uint32_t used);

/* Reads bytes from outside, and is the one function that checks them. Returns NULL, or a text
 * that names the first fault. Numbers of types and of the operation are for the caller to look
 * up. */
const char *tcm_wire_decode(const void *bytes, size_t size, tcm_wire_message *message_out);

#endif
