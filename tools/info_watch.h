/* tc-info --watch: the activity of a node, again and again. */
#ifndef INFO_WATCH_H
#define INFO_WATCH_H

#include <stdbool.h>
#include <stdint.h>
#include <tc/status.h>

typedef struct info_watch_params {
    const char *peer; /* HOST:PORT */
    uint64_t interval_ns;
    uint64_t refreshes; /* 0: until SIGINT or SIGTERM */
    bool json;
} info_watch_params;

/* Blocks. A node that does not answer in time, or is lost, is asked again at each refresh, and
 * the reason is shown instead of its figures.
 *
 *   TC_OK             the node has answered at the last refresh, or has named the function that
 *                     keeps it busy
 *   TC_E_CORRUPT      its answer is malformed
 *   TC_E_UNSUPPORTED  this program was built without LLVM, which makes the function that asks
 *   as tc_ep_connect  it was not reached at first
 *   as tc_call        it refused the function; it was lost at the last refresh */
TC_MUST_CHECK tc_status info_watch(const info_watch_params *params, tc_error *err);

#endif
