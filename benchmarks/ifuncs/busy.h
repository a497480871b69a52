/* What the function `busy` finds behind target_args. */
#ifndef TC_BUSY_H
#define TC_BUSY_H

#include <stdint.h>

typedef struct busy_target {
    uint64_t run;
    uint64_t burn_ns; /* what each message takes */
} busy_target;

#endif
