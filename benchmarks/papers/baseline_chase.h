/* The base of the pointer chase by plain UCX: a worker, endpoints to other members, and the
 * library's ways of waiting, for a worker that the library has no part in. */
#ifndef TC_PERF_BASELINE_CHASE_H
#define TC_PERF_BASELINE_CHASE_H

#include "dapc.h"

#include <ucp/api/ucp.h>

typedef enum dapc_policy { DAPC_ADAPTIVE, DAPC_SPIN, DAPC_YIELD, DAPC_BLOCK } dapc_policy;

typedef struct baseline_chase {
    dapc_series *series;
    ucp_context_h context;
    ucp_worker_h worker;
    ucp_ep_h peers[DAPC_WORKERS_MAX];
    int wake_fd;
    dapc_policy policy;
    uint64_t spin_ns;
    uint64_t idle_since_ns; /* 0: not idle */
    unsigned yields;
    bool shares_cpu; /* others ran when it was last given up */
} baseline_chase;

/* False after a complaint; baseline_chase_close is owed in any case. */
bool baseline_chase_open(baseline_chase *ucx, dapc_series *series, uint64_t features);
void baseline_chase_close(baseline_chase *ucx);

/* The worker's address, at the end of the blob's contents. */
bool baseline_chase_add_address(baseline_chase *ucx, dapc_blob *blob);
/* An endpoint to a member, by the part of its blob that begins at `at`. */
bool baseline_chase_connect(baseline_chase *ucx, unsigned rank, const dapc_blob *blob,
                            uint32_t at);
/* Returns when all operations on all endpoints are done, their connection too. */
bool baseline_chase_flush(baseline_chase *ucx);

/* One turn: progress, or a moment's wait. */
void baseline_chase_idle(baseline_chase *ucx);
static inline void baseline_chase_turn(baseline_chase *ucx)
{
    if (ucp_worker_progress(ucx->worker) != 0)
        ucx->idle_since_ns = 0;
    else
        baseline_chase_idle(ucx);
}

/* Always false. */
bool baseline_chase_complain(baseline_chase *ucx, const char *what, ucs_status_t status);

#endif
