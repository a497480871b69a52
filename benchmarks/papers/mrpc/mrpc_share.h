/* The beginning of the target's arguments of every function that an application of the paper
 * on MRPC sends. */
#ifndef TC_MRPC_SHARE_H
#define TC_MRPC_SHARE_H

#include "mrpc_stamps.h"

#include <tc/entry.h>
#include <tc/window.h>

typedef struct mrpc_share {
    tc_gptr window; /* of this rank: all that peers may reach */
    uint32_t rank, ranks;
    mrpc_stamps *stamps; /* of this rank's thread */
    uint64_t *arrived; /* for each rank: the last exchange of which all of its data are here */
} mrpc_share;

#endif
