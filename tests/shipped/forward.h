/* target_args of the forward ifunc. */
#ifndef FORWARD_H
#define FORWARD_H

#include <stdint.h>
#include <tc/endpoint.h>

typedef struct forward_state {
    tc_ep *next; /* NULL: the last one */
    uint64_t seen;
    uint64_t sum;
    uint64_t failed;
} forward_state;

#endif
