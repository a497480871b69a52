/* A message that travels on: the data that it finds at each process, and its payload. */
#ifndef CHASER_H
#define CHASER_H

#include <stdint.h>
#include <ucp/api/ucp.h>

typedef struct chaser_place {
    ucp_ifunc_h self; /* the chaser, registered here */
    ucp_ep_h next;
    ucp_rkey_h next_rkey;
    uint64_t next_slot;
    uint64_t weight; /* added at each process */
    uint64_t visits;
    uint64_t sum; /* that the last visitor brought */
    uint64_t failed;
    int done; /* it ended here, or ended elsewhere and reported that */
} chaser_place;

typedef struct chaser_args {
    uint64_t hops; /* left */
    uint64_t sum;
} chaser_args;

#endif
