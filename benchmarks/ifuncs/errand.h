/* A chase whose result another function brings home, as in the paper. */
#ifndef TC_ERRAND_H
#define TC_ERRAND_H

#include "dapc.h"

/* The payload of Chaser, and of ReturnResult. */
typedef struct errand {
    dapc_step step;
    uint64_t destination; /* rank of who asked */
    uint64_t slot;        /* which of its chases */
} errand;

/* Behind target_args at the client. */
typedef struct errand_desk {
    void (*done)(void *user, uint64_t slot, uint64_t address);
    void *user;
} errand_desk;

#endif
