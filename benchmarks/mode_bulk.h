/* The modes of the bandwidth experiment. They have no latency functions. */
#ifndef TC_PERF_MODE_BULK_H
#define TC_PERF_MODE_BULK_H

#include "perf_mode.h"

/* Plain UCX: puts into a buffer of the target's, each followed by a fence and a put that says
 * so. */
extern const perf_mode perf_mode_bulk_put;
/* Plain UCX: active messages by whatever protocol UCX chooses for their size. */
extern const perf_mode perf_mode_bulk_am;
/* The same, of endpoints that notice a peer's death (UCP_ERR_HANDLING_MODE_PEER), as the
 * library's do. Over some transports UCX has fewer protocols for these. */
extern const perf_mode perf_mode_bulk_am_safe;
/* tc_send. */
extern const perf_mode perf_mode_bulk_cached;

#endif
