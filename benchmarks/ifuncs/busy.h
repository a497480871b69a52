/* The struct behind target_args of the function `busy`. */
#ifndef TC_BUSY_H
#define TC_BUSY_H

#include <stdint.h>

typedef struct busy_target {
    uint64_t run;
    uint64_t burn_ns; /* the time of each message */
} busy_target;

#endif
