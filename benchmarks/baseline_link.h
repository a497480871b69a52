/* What every mode of plain UCX begins with: a context, a worker and one endpoint, with UCX's
 * defaults beside what the environment says. */
#ifndef TC_PERF_BASELINE_LINK_H
#define TC_PERF_BASELINE_LINK_H

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
/* Both sides at once: the endpoint. */
bool baseline_link_connect(baseline_link *link, ucp_err_handling_mode_t mode);
/* Both sides at once: UCX's flush and close both need the other side's progress, so each side
 * goes on until its own is through. */
void baseline_link_close(baseline_link *link);
void baseline_link_free(baseline_link *link);

/* Always false. */
bool baseline_link_complain(baseline_link *link, const char *what, ucs_status_t status);

#endif
