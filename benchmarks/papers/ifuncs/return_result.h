/* A chase with a result that another function brings back, as in the paper. */
#ifndef TC_RETURN_RESULT_H
#define TC_RETURN_RESULT_H

#include "dapc.h"

/* The payload of Chaser, and of ReturnResult. */
typedef struct chase_request {
    dapc_step step;
    uint64_t destination; /* rank of the caller */
    uint64_t slot;        /* which of its chases */
} chase_request;

/* Behind target_args at the client. */
typedef struct chase_results {
    void (*done)(void *user, uint64_t slot, uint64_t address);
    void *user;
} chase_results;

#endif
