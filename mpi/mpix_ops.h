/* Operations: handles of MPI's that stand for handlers. */
#ifndef TCM_MPIX_OPS_H
#define TCM_MPIX_OPS_H

#include "mpix_window.h"

#define TCM_OPS_MAX 1024u /* of MPIX_Am_op_create at a time */

/* The operation of a handle at a window, or NULL. */
static inline const tcm_window_op *tcm_ops_find(const tcm_window *window, MPI_Op handle)
{
    for (uint32_t i = 0; i < window->op_count; i++) {
        if (window->ops[i].handle == handle)
            return &window->ops[i];
    }
    return NULL;
}

#endif
