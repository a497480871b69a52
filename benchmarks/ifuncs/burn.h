/* What the function `burn` finds behind target_args. */
#ifndef TC_BURN_H
#define TC_BURN_H

#include <stdint.h>

typedef struct burn_target {
    uint64_t run;
    uint64_t burn_ns; /* what each message takes */
} burn_target;

#endif
