/* The set-up of every mode of plain UCX: a context, a worker and one endpoint, with UCX's
 * defaults beside the environment's settings. */
#ifndef TC_PERF_BASELINE_LINK_H
#define TC_PERF_BASELINE_LINK_H

#include "perf_mode.h"
#include "perf_session.h"

#include <ucp/api/ucp.h>

typedef struct baseline_link {
    perf_session *session;
    ucp_context_h context;
    ucp_worker_h worker;
    ucp_ep_h peer;
} baseline_link;

/* The worker; handlers are set before the next call. False after a complaint;
 * baseline_link_free is owed in any case. */
bool baseline_link_start(baseline_link *link, perf_session *session, uint64_t features);
/* The same with a handler of active messages. */
bool baseline_link_start_am(baseline_link *link, perf_session *session, unsigned id,
                            uint32_t flags, ucp_am_recv_callback_t handler, void *user);
/* Both sides at once: the endpoint. */
bool baseline_link_connect(baseline_link *link, ucp_err_handling_mode_t mode);
/* Both sides at once: UCX's flush and close both need the other side's progress, so each side
 * goes on until its own is through. The link is the first member of the series' state. */
void baseline_link_close(perf_series *series);
void baseline_link_free(baseline_link *link);

/* Until no more than `max` operations are under way. */
static inline bool baseline_link_await(baseline_link *link, perf_poll *poll,
                                       const uint64_t *outstanding, uint64_t max)
{
    while (*outstanding > max) {
        if (ucp_worker_progress(link->worker) == 0 && !perf_poll_missed(poll))
            return false;
    }
    perf_poll_hit(poll);
    return true;
}

/* Always false. */
bool baseline_link_complain(baseline_link *link, const char *what, ucs_status_t status);

typedef struct baseline_memory {
    ucp_mem_h handle;
    unsigned char *base; /* here */
    uint64_t remote;     /* the other process's, for puts */
    ucp_rkey_h rkey;
} baseline_memory;

/* Zeroed memory with a key for the other side. Both return false after a complaint;
 * baseline_memory_free is owed in any case, before the link's. */
bool baseline_memory_offer(baseline_memory *memory, baseline_link *link, size_t size);
bool baseline_memory_take(baseline_memory *memory, baseline_link *link);
void baseline_memory_free(baseline_memory *memory, baseline_link *link);

#endif
